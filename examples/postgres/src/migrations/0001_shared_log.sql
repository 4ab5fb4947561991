-- The shared log: which stores take part, what each recorded, and who may see what.

CREATE SCHEMA recallite;

CREATE TABLE recallite.schema_version (version integer NOT NULL);
INSERT INTO recallite.schema_version VALUES (0);

-- A store that takes part. Only its account may write its row.
CREATE TABLE recallite.store (
    id              integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Its public key.
    identity        text NOT NULL UNIQUE CHECK (identity ~ '^[0-9a-f]{64}$'),
    account         name NOT NULL DEFAULT current_user,
    -- The name that it chose, signed by it.
    announcement    text NOT NULL CHECK (octet_length(announcement) <= 65536),
    -- How far its log is on the server and how far it carried out the orders of others, signed by
    -- it; empty before its first push.
    progress        text NOT NULL DEFAULT '' CHECK (octet_length(progress) <= 4194304),
    pushed_through  bigint NOT NULL DEFAULT 0 CHECK (pushed_through >= 0),
    -- The checksum of its log there: a copy of its folder that was written to has another one.
    pushed_checksum text NOT NULL DEFAULT '' CHECK (octet_length(pushed_checksum) <= 64),
    -- What its records were last compared with.
    retraction_mark text NOT NULL DEFAULT '' CHECK (octet_length(retraction_mark) <= 64),
    -- The rights with which it last read the records of others, and the stores that it has not read
    -- to the end since these rights changed, each with the position after which it goes on.
    access_seen     text NOT NULL DEFAULT '' CHECK (octet_length(access_seen) <= 65536)
);

-- One record, signed by its store. The server does not verify it, and nobody trusts the server:
-- whoever reads the record checks the signature.
CREATE TABLE recallite.record (
    store    integer NOT NULL REFERENCES recallite.store ON DELETE CASCADE,
    position bigint NOT NULL CHECK (position > 0),
    -- All projects that it is about; only an empty name if there are none.
    projects text[] NOT NULL CHECK (cardinality(projects) > 0),
    -- Orders to forget and to erase contain no text and concern every store.
    is_order boolean NOT NULL,
    line     text NOT NULL,
    PRIMARY KEY (store, position)
);

-- The projects whose records an account sees besides its own.
CREATE TABLE recallite.access (
    account  name NOT NULL,
    -- Empty for records without a project, and for a right to all projects.
    project  text NOT NULL,
    is_every boolean NOT NULL DEFAULT false,
    PRIMARY KEY (account, project, is_every)
);

ALTER TABLE recallite.store ENABLE ROW LEVEL SECURITY;
ALTER TABLE recallite.record ENABLE ROW LEVEL SECURITY;
ALTER TABLE recallite.access ENABLE ROW LEVEL SECURITY;
-- The owner of the tables is a member like all others.
ALTER TABLE recallite.store FORCE ROW LEVEL SECURITY;
ALTER TABLE recallite.record FORCE ROW LEVEL SECURITY;

CREATE POLICY everybody_sees_who_takes_part ON recallite.store FOR SELECT USING (true);
CREATE POLICY own_stores_begin ON recallite.store FOR INSERT
    WITH CHECK (account = current_user);
CREATE POLICY own_stores_change ON recallite.store FOR UPDATE
    USING (account = current_user) WITH CHECK (account = current_user);
-- The owner of the schema removes stores that have left, without seeing what they recorded.
CREATE POLICY own_stores_end ON recallite.store FOR DELETE
    USING (account = current_user OR pg_has_role(current_user, (
        SELECT nspowner FROM pg_namespace WHERE nspname = 'recallite'), 'MEMBER'));

-- What was learned of several projects is for those who may see all of them.
CREATE POLICY seen ON recallite.record FOR SELECT USING (
    is_order
    OR store IN (SELECT id FROM recallite.store WHERE account = current_user)
    OR EXISTS (SELECT FROM recallite.access WHERE account = current_user AND is_every)
    OR projects <@ ARRAY(
        SELECT project FROM recallite.access WHERE account = current_user AND NOT is_every));
CREATE POLICY own_records_come ON recallite.record FOR INSERT
    WITH CHECK (store IN (SELECT id FROM recallite.store WHERE account = current_user));
CREATE POLICY own_records_go ON recallite.record FOR DELETE
    USING (store IN (SELECT id FROM recallite.store WHERE account = current_user));

CREATE POLICY own_rights ON recallite.access FOR SELECT USING (account = current_user);
