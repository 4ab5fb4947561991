-- Whoever may delete any row of a table may also lock it, and so stop everybody else. Accounts now
-- take out their rows through functions of the owner, which delete only those of whoever calls them.

DO $$
DECLARE
    account oid;
BEGIN
    FOR account IN
        SELECT DISTINCT granted.grantee FROM pg_class, aclexplode(relacl) AS granted
        WHERE pg_class.oid IN ('recallite.record'::regclass, 'recallite.store'::regclass)
        AND granted.privilege_type = 'DELETE' AND granted.grantee NOT IN (0, relowner)
    LOOP
        EXECUTE format('REVOKE DELETE ON recallite.record, recallite.store FROM %s',
            account::regrole);
    END LOOP;
END $$;

-- In these functions, the current user is their owner.
ALTER POLICY seen ON recallite.record USING (
    is_order
    OR store IN (SELECT id FROM recallite.store WHERE role IN (
        to_regrole(quote_ident(current_user)), to_regrole(quote_ident(session_user))))
    OR EXISTS (SELECT FROM recallite.access
        WHERE role = to_regrole(quote_ident(current_user)) AND is_every)
    OR projects <@ ARRAY(SELECT project FROM recallite.access
        WHERE role = to_regrole(quote_ident(current_user)) AND NOT is_every));
ALTER POLICY own_records_go ON recallite.record
    USING (store IN (SELECT id FROM recallite.store WHERE role IN (
        to_regrole(quote_ident(current_user)), to_regrole(quote_ident(session_user)))));

CREATE FUNCTION recallite.take_out(of_store integer, positions bigint[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    removed bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM recallite.store
        WHERE id = of_store AND role = to_regrole(quote_ident(session_user))) THEN
        RAISE insufficient_privilege USING MESSAGE =
            'the store belongs to another account than the one that logged in';
    END IF;
    DELETE FROM recallite.record AS record USING recallite.store AS store
    WHERE record.store = of_store AND record.position = ANY (positions)
    AND store.id = of_store AND store.role = to_regrole(quote_ident(session_user));
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END $$;

-- Removes a store of this account, with its records; false if the account has no such store.
CREATE FUNCTION recallite.leave(gone text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM recallite.store AS store
    WHERE store.identity = gone AND store.role = to_regrole(quote_ident(session_user));
    RETURN FOUND;
END $$;
