-- What names a session for people (CO-5): the folder it works in, and how its first request
-- begins. Sessions from before have no name until the model is rebuilt.
ALTER TABLE sessions ADD COLUMN workspace TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN task TEXT NOT NULL DEFAULT '';
