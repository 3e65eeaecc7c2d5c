-- Rows that were folded by a schema before this one lack what 0004, 0007, 0008 and 0009 added. The reporter reads the
-- stream once more and completes them; until then the file is not compared.
ALTER TABLE position ADD COLUMN lacks INTEGER NOT NULL DEFAULT 0;
UPDATE position SET lacks = 1 WHERE sequence > 0;
