-- How far a store has carried out the erasures of another one, signed by it. Each is a row, so that
-- whoever waits for it reads no other.
CREATE TABLE recallite.answer (
    store     integer NOT NULL REFERENCES recallite.store ON DELETE CASCADE,
    -- The identity of the store that ordered them.
    recipient text NOT NULL CHECK (recipient ~ '^[0-9a-f]{64}$'),
    line      text NOT NULL CHECK (octet_length(line) <= 65536),
    PRIMARY KEY (store, recipient)
);
CREATE INDEX answers_to ON recallite.answer (recipient, store);

ALTER TABLE recallite.answer ENABLE ROW LEVEL SECURITY;
-- The owner of the tables is a member like all others.
ALTER TABLE recallite.answer FORCE ROW LEVEL SECURITY;
-- There are only numbers in it.
CREATE POLICY everybody_sees_answers ON recallite.answer FOR SELECT USING (true);
CREATE POLICY own_answers_come ON recallite.answer FOR INSERT
    WITH CHECK (store IN (SELECT id FROM recallite.store
        WHERE role = to_regrole(quote_ident(current_user))));
CREATE POLICY own_answers_change ON recallite.answer FOR UPDATE
    USING (store IN (SELECT id FROM recallite.store
        WHERE role = to_regrole(quote_ident(current_user))))
    WITH CHECK (store IN (SELECT id FROM recallite.store
        WHERE role = to_regrole(quote_ident(current_user))));

-- They were in what each store says of itself, which nobody reads any more; its next push says it anew.
ALTER TABLE recallite.store NO FORCE ROW LEVEL SECURITY;
UPDATE recallite.store SET progress = '';
ALTER TABLE recallite.store FORCE ROW LEVEL SECURITY;
ALTER TABLE recallite.store DROP CONSTRAINT store_progress_check,
    ADD CONSTRAINT progress_is_short CHECK (octet_length(progress) <= 4096);

DO $$
DECLARE
    account oid;
BEGIN
    FOR account IN
        SELECT DISTINCT granted.grantee FROM pg_class, aclexplode(relacl) AS granted
        WHERE pg_class.oid = 'recallite.record'::regclass
        AND granted.privilege_type = 'INSERT' AND granted.grantee NOT IN (0, relowner)
    LOOP
        EXECUTE format('GRANT SELECT, INSERT, UPDATE (line) ON recallite.answer TO %s',
            account::regrole);
    END LOOP;
END $$;
