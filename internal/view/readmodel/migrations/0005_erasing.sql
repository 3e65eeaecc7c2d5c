-- Set with the rows of a purge, and cleared once the file was written again without them: a
-- process that is killed in between does so when it starts again.
ALTER TABLE position ADD COLUMN erasing INTEGER NOT NULL DEFAULT 0;
