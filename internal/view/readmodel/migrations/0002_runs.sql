-- Runs are in the model from here on. What was folded before knows none of them,
-- so it is emptied, and the stream is read from its beginning.
DELETE FROM sessions; DELETE FROM turns; DELETE FROM signals; DELETE FROM interrupts; DELETE FROM deliveries; DELETE FROM verdicts;
DELETE FROM mutes; DELETE FROM daily; DELETE FROM names; DELETE FROM totals;
UPDATE position SET stream = '', sequence = 0, anchor = 0, last_event = 0, bytes = 0;
-- settings by which breaks and corrections are judged
ALTER TABLE position ADD COLUMN judge TEXT NOT NULL DEFAULT '';

-- A run, or a session without one that was broken off (RW-35). listed and after
-- are its folds as JSON: how it stands, and what came of breaks and corrections.
CREATE TABLE runs (
  id            TEXT    PRIMARY KEY,
  project       TEXT    NOT NULL, -- project, else workspace
  day           TEXT    NOT NULL, -- of the first event
  stands        TEXT    NOT NULL, -- running, paused, draining, halted, done, unknown
  outcome       TEXT    NOT NULL, -- of run.completed
  waits         INTEGER NOT NULL, -- escalations and questions that wait for a person
  last_event    INTEGER NOT NULL, -- of its own
  last_sequence INTEGER NOT NULL,
  listed        TEXT    NOT NULL,
  after         TEXT    NOT NULL,
  bytes         INTEGER NOT NULL  -- accounted size of its rows
) STRICT, WITHOUT ROWID;
CREATE INDEX runs_by_time ON runs (last_event DESC, id);
CREATE INDEX runs_by_sequence ON runs (last_sequence);
CREATE INDEX sessions_by_time ON sessions (last_event DESC, id);

-- What waited for a person: escalations (RW-41) and questions (PL-36).
CREATE TABLE waits (
  run      TEXT    NOT NULL,
  kind     TEXT    NOT NULL, -- escalation, question
  id       TEXT    NOT NULL,
  sequence INTEGER NOT NULL, -- when it was raised
  day      TEXT    NOT NULL,
  project  TEXT    NOT NULL, -- as it is counted
  issue    TEXT    NOT NULL,
  raised   INTEGER NOT NULL,
  ended    INTEGER NOT NULL, -- 0: it waits
  ending   TEXT    NOT NULL, -- answered, resumed, superseded, defaulted; '' while it waits
  author   TEXT    NOT NULL, -- who ended it
  size     INTEGER NOT NULL,
  PRIMARY KEY (run, kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX waits_by_day ON waits (day, kind);

-- Counts by day and project; they stay when the rows of a run leave for lack of
-- room. A run counts on the day it began, the others on the day they came.
CREATE TABLE run_daily (
  day     TEXT    NOT NULL,
  project TEXT    NOT NULL,
  topic   TEXT    NOT NULL, -- run, state, outcome, break, correction, escalation, question, gate, rule
  name    TEXT    NOT NULL, -- of the topic: a trigger, an action, a gate, a rule with its code
  what    TEXT    NOT NULL,
  count   INTEGER NOT NULL,
  PRIMARY KEY (day, project, topic, name, what)
) STRICT, WITHOUT ROWID;
