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

-- How often records of a store came to be about other projects. Whoever reads that it has risen reads
-- the store once more: some of its records may have become visible.
ALTER TABLE recallite.store ADD COLUMN regrouped bigint NOT NULL DEFAULT 0 CHECK (regrouped >= 0);

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
        EXECUTE format('GRANT UPDATE (regrouped) ON recallite.store TO %s', account::regrole);
    END LOOP;
END $$;
-- Version 4 took it from the accounts alone. It allows to lock a table.
REVOKE DELETE ON recallite.record, recallite.store FROM PUBLIC;

-- The stores of an account are counted by whoever adds the last of them. So the transactions of an
-- account that add stores wait for each other here: counted at once, each would see only its own.
-- It is no advisory lock, which any other account could hold.
CREATE TABLE recallite.turn (role regrole PRIMARY KEY);
ALTER TABLE recallite.turn ENABLE ROW LEVEL SECURITY;

DROP TRIGGER limited ON recallite.store;
CREATE OR REPLACE FUNCTION recallite.limit_stores() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- In a transaction that does not see what others have committed meanwhile, this fails.
    INSERT INTO recallite.turn SELECT DISTINCT role FROM added ORDER BY role
        ON CONFLICT (role) DO UPDATE SET role = EXCLUDED.role;
    IF EXISTS (SELECT FROM recallite.store WHERE role IN (SELECT role FROM added)
        GROUP BY role HAVING count(*) > 1000) THEN
        RAISE EXCEPTION 'this account has 1000 stores, and may have no more'
            USING ERRCODE = 'configuration_limit_exceeded';
    END IF;
    RETURN NULL;
END $$;
-- After it: a row that is there already is announced by an insertion that conflicts.
CREATE TRIGGER limited AFTER INSERT ON recallite.store REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION recallite.limit_stores();

-- Others read a row as a whole, so it has an end: a text of 256 MiB, the longest that a memory
-- stores, of which every byte takes two in JSON. And they compare all of its projects with their
-- rights.
ALTER TABLE recallite.record
    ADD CONSTRAINT line_is_bounded CHECK (octet_length(line) <= 536870912) NOT VALID,
    ADD CONSTRAINT projects_are_bounded CHECK (cardinality(projects) <= 65536) NOT VALID;
