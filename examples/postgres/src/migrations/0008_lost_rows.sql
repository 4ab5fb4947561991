-- How many records of a store are here, and the sum of their positions, as its pushes have left them:
-- if there are others, rows were lost, and the store sends them again.
ALTER TABLE recallite.store
    ADD COLUMN record_count bigint NOT NULL DEFAULT 0,
    ADD COLUMN position_sum numeric NOT NULL DEFAULT 0;
-- The owner of the tables is a member like all others, who sees and changes no row of others.
ALTER TABLE recallite.store NO FORCE ROW LEVEL SECURITY;
ALTER TABLE recallite.record NO FORCE ROW LEVEL SECURITY;
UPDATE recallite.store AS store SET record_count = found.records, position_sum = found.positions
    FROM (SELECT store AS id, count(*) AS records, sum(position) AS positions
        FROM recallite.record GROUP BY store) AS found
    WHERE store.id = found.id;
ALTER TABLE recallite.record FORCE ROW LEVEL SECURITY;
ALTER TABLE recallite.store FORCE ROW LEVEL SECURITY;

-- Changes when records of a store come that others may have passed already, and when some come to be
-- about other projects. Whoever finds another one than before reads the store once more. A count could
-- come twice, after a backup of this database was restored.
ALTER TABLE recallite.store
    DROP COLUMN regrouped,
    ADD COLUMN edition uuid NOT NULL DEFAULT gen_random_uuid();

-- Each machine notes for itself with which rights it has read what: a backup of this database knows
-- nothing of what was read since.
ALTER TABLE recallite.store DROP COLUMN access_seen;
-- This shared log, whatever its server is called.
ALTER TABLE recallite.schema_version ADD COLUMN log uuid NOT NULL DEFAULT gen_random_uuid();

DO $$
DECLARE
    account oid;
BEGIN
    FOR account IN
        SELECT DISTINCT granted.grantee FROM pg_class, aclexplode(relacl) AS granted
        WHERE pg_class.oid = 'recallite.record'::regclass
        AND granted.privilege_type = 'INSERT' AND granted.grantee NOT IN (0, relowner)
    LOOP
        EXECUTE format('GRANT UPDATE (record_count, position_sum, edition) ON recallite.store TO %s',
            account::regrole);
    END LOOP;
END $$;
