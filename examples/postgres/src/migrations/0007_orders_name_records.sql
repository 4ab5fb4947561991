-- Between the fixed words of an order there are numbers and ids alone: everybody sees orders, and any
-- account could spell a text with other words.

-- The owner of the tables is a member like all others, who changes no row.
ALTER TABLE recallite.record NO FORCE ROW LEVEL SECURITY;
DO $$
DECLARE
    orders text := '^\{"position":\d+,"stamp":\d+,"kind":"(?:forgotten|erased)",'
        '"id":"[-0-9a-f]{36}","citation":"[-_0-9A-Za-z]{1,8}","timestamp":-?\d+,'
        '"origin":"system","actor":"system","content":"(?:forgot|erased) \d+ events",'
        '"metadata":"\{\\"targets\\":\[(?:\{(?:\\"ids\\":\\"[0-9a-f]*\\",)?'
        '\\"ranges\\":[][0-9,]*,\\"store\\":\\"[0-9a-f]{32}\\"\},?)*\]\}",'
        '"privacy":\[[0-9,]*\],"signature":"[0-9a-f]*"\}$';
BEGIN
    ALTER TABLE recallite.record DROP CONSTRAINT orders_have_no_text;
    UPDATE recallite.record SET is_order = false WHERE is_order AND line !~ orders;
    EXECUTE format('ALTER TABLE recallite.record ADD CONSTRAINT orders_have_no_text '
        'CHECK (NOT is_order OR line ~ %L)', orders);
END $$;
ALTER TABLE recallite.record FORCE ROW LEVEL SECURITY;
