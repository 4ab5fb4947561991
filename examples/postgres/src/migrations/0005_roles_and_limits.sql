-- A right is that of a role under whatever name it has now. `account` is the name under which it was
-- granted, which serves only once the role is gone.

-- Their roles were gone when roles were first noted: they give nobody anything.
DELETE FROM recallite.access WHERE role IS NULL;
-- Of a role that was renamed, and granted the same under its new name.
DELETE FROM recallite.access AS twice USING recallite.access AS kept
    WHERE twice.role = kept.role AND twice.project = kept.project
    AND twice.is_every = kept.is_every AND twice.ctid > kept.ctid;
ALTER TABLE recallite.access DROP CONSTRAINT access_pkey,
    ADD PRIMARY KEY (role, project, is_every);
