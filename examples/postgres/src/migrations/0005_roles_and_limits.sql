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

-- Each account is granted by name what it may call, whatever the server grants to everybody.
REVOKE ALL ON FUNCTION recallite.take_out(integer, bigint[]), recallite.leave(text),
    recallite.limit_stores() FROM PUBLIC;
DO $$
DECLARE
    account oid;
BEGIN
    FOR account IN
        SELECT DISTINCT granted.grantee FROM pg_class, aclexplode(relacl) AS granted
        WHERE pg_class.oid = 'recallite.record'::regclass
        AND granted.privilege_type = 'INSERT' AND granted.grantee NOT IN (0, relowner)
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION recallite.take_out(integer, bigint[]), '
            'recallite.leave(text) TO %s', account::regrole);
    END LOOP;
END $$;
-- Version 4 took it from the accounts alone. It allows to lock a table.
REVOKE DELETE ON recallite.record, recallite.store FROM PUBLIC;
