-- What the view of running sessions shows of each (CO-11): the model its agent uses, and what its
-- latest turn did. A signal that a validator keeps at LOG only is no debt. Rows from before say
-- nothing of these until the model is rebuilt.
ALTER TABLE sessions ADD COLUMN model TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN act TEXT NOT NULL DEFAULT '';
ALTER TABLE signals ADD COLUMN capped INTEGER NOT NULL DEFAULT 0;
