-- Turns that were refused, so that one that is sent again counts once.
CREATE TABLE refused (
  session  TEXT    NOT NULL,
  id       TEXT    NOT NULL, -- of the event that reports it, the same each time
  turns    INTEGER NOT NULL, -- of the session before it: the latest are kept
  PRIMARY KEY (session, id)
) STRICT, WITHOUT ROWID;
