-- Every right gets a mark that nobody can guess. What a store notes of the rights with which it read
-- is visible to all accounts, and so says nothing about the names of projects.

ALTER TABLE recallite.access ADD COLUMN mark uuid NOT NULL DEFAULT gen_random_uuid();

-- What was noted before was made of names.
ALTER TABLE recallite.store NO FORCE ROW LEVEL SECURITY;
UPDATE recallite.store SET access_seen = '';
ALTER TABLE recallite.store FORCE ROW LEVEL SECURITY;
