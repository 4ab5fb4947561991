-- A right belongs to a role, not to its name: another role may get the name later. A role is stored
-- by its number, and dumped by its name.

ALTER TABLE recallite.store ADD COLUMN role regrole
    DEFAULT to_regrole(quote_ident(current_user));
ALTER TABLE recallite.access ADD COLUMN role regrole
    DEFAULT to_regrole(quote_ident(current_user));
ALTER TABLE recallite.store NO FORCE ROW LEVEL SECURITY;
UPDATE recallite.store SET role = to_regrole(quote_ident(account));
ALTER TABLE recallite.store FORCE ROW LEVEL SECURITY;
UPDATE recallite.access SET role = to_regrole(quote_ident(account));

ALTER POLICY own_stores_begin ON recallite.store
    WITH CHECK (account = current_user AND role = to_regrole(quote_ident(current_user)));
ALTER POLICY own_stores_change ON recallite.store
    USING (role = to_regrole(quote_ident(current_user)))
    WITH CHECK (role = to_regrole(quote_ident(current_user)));
ALTER POLICY own_stores_end ON recallite.store
    USING (role = to_regrole(quote_ident(current_user)) OR pg_has_role(current_user, (
        SELECT nspowner FROM pg_namespace WHERE nspname = 'recallite'), 'MEMBER'));

ALTER POLICY seen ON recallite.record USING (
    is_order
    OR store IN (SELECT id FROM recallite.store
        WHERE role = to_regrole(quote_ident(current_user)))
    OR EXISTS (SELECT FROM recallite.access
        WHERE role = to_regrole(quote_ident(current_user)) AND is_every)
    OR projects <@ ARRAY(SELECT project FROM recallite.access
        WHERE role = to_regrole(quote_ident(current_user)) AND NOT is_every));
ALTER POLICY own_records_come ON recallite.record
    WITH CHECK (store IN (SELECT id FROM recallite.store
        WHERE role = to_regrole(quote_ident(current_user))));
ALTER POLICY own_records_go ON recallite.record
    USING (store IN (SELECT id FROM recallite.store
        WHERE role = to_regrole(quote_ident(current_user))));

ALTER POLICY own_rights ON recallite.access
    USING (role = to_regrole(quote_ident(current_user)));

-- Everybody reads the list of stores, so no account may make it endless.
CREATE FUNCTION recallite.limit_stores() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(*) FROM recallite.store WHERE role = NEW.role) > 1000 THEN
        RAISE EXCEPTION 'this account has 1000 stores, and may have no more'
            USING ERRCODE = 'configuration_limit_exceeded';
    END IF;
    RETURN NULL;
END $$;
-- After it: a row that is there already is announced by an insertion that conflicts.
CREATE TRIGGER limited AFTER INSERT ON recallite.store
    FOR EACH ROW EXECUTE FUNCTION recallite.limit_stores();
