-- What the guard answered before tools ran (GD-21), the latest of all sessions, for the page (CO-11a).
-- What was folded before is counted in daily only.
CREATE TABLE prevented (
  sequence INTEGER PRIMARY KEY,
  session  TEXT    NOT NULL,
  turn     INTEGER NOT NULL,
  time     INTEGER NOT NULL,
  outcome  TEXT    NOT NULL, -- denied, kept, warned, allowed
  command  TEXT    NOT NULL,
  what     TEXT    NOT NULL,
  rescue   TEXT    NOT NULL
) STRICT;
CREATE INDEX prevented_by_session ON prevented (session);
