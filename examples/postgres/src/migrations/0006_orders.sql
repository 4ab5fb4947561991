-- Everybody sees orders, so a row is one only if its line is: numbers, ids and fixed words, as a store
-- writes them, and no text.

-- The owner of the tables is a member like all others, who changes no row.
ALTER TABLE recallite.record NO FORCE ROW LEVEL SECURITY;
DO $$
DECLARE
    orders text := '^\{"position":\d+,"stamp":\d+,"kind":"(?:forgotten|erased)",'
        '"id":"[-0-9a-f]{36}","citation":"[-_0-9A-Za-z]{1,64}","timestamp":-?\d+,'
        '"origin":"system","actor":"system","content":"(?:forgot|erased) \d+ events",'
        '"metadata":"[][{}:,"\\0-9a-z]*","privacy":\[[0-9,]*\],"signature":"[0-9a-f]*"\}$';
BEGIN
    UPDATE recallite.record SET is_order = false WHERE is_order AND line !~ orders;
    EXECUTE format('ALTER TABLE recallite.record ADD CONSTRAINT orders_have_no_text '
        'CHECK (NOT is_order OR line ~ %L)', orders);
END $$;
ALTER TABLE recallite.record FORCE ROW LEVEL SECURITY;
