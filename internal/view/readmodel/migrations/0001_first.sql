-- How far DECISIONS has been folded, in the same transaction as what it led to.
CREATE TABLE position (
  only       INTEGER PRIMARY KEY CHECK (only = 1),
  stream     TEXT    NOT NULL, -- which stream it was; '' before the first
  sequence   INTEGER NOT NULL, -- of the last event folded
  anchor     INTEGER NOT NULL, -- where reading resumes
  last_event INTEGER NOT NULL, -- latest time of an event
  bytes      INTEGER NOT NULL  -- accounted size of the sessions' rows
) STRICT;
INSERT INTO position VALUES (1, '', 0, 0, 0, 0);

-- Times are microseconds since 1970 in UTC, days are 2026-01-31 in UTC.
CREATE TABLE sessions (
  id            TEXT    PRIMARY KEY,
  grp           TEXT    NOT NULL, -- run or session (EV-4)
  run           TEXT    NOT NULL,
  agent         TEXT    NOT NULL, -- kind; '' while not known
  day           TEXT    NOT NULL, -- of the first event
  first_event   INTEGER NOT NULL,
  last_event    INTEGER NOT NULL,
  last_sequence INTEGER NOT NULL,
  closed        INTEGER NOT NULL,
  reason        TEXT    NOT NULL, -- of the closing
  last_turn     INTEGER NOT NULL,
  turns         INTEGER NOT NULL, -- received
  failed        INTEGER NOT NULL, -- could not be evaluated
  skipped       INTEGER NOT NULL, -- never came
  signals       INTEGER NOT NULL,
  interrupts    INTEGER NOT NULL,
  heeded        INTEGER NOT NULL,
  ignored       INTEGER NOT NULL,
  dismissed     INTEGER NOT NULL,
  input_tokens  INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_micros   INTEGER NOT NULL, -- millionths of a dollar
  bytes         INTEGER NOT NULL  -- accounted size of its rows
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_sequence ON sessions (last_sequence);

CREATE TABLE turns (
  session       TEXT    NOT NULL,
  turn          INTEGER NOT NULL,
  time          INTEGER NOT NULL,
  failed        TEXT    NOT NULL, -- why it could not be evaluated
  missing       INTEGER NOT NULL, -- numbers before it that never came
  out_of_order  INTEGER NOT NULL,
  no_baseline   INTEGER NOT NULL,
  pause         TEXT    NOT NULL, -- natural pause, '' none
  signals       INTEGER NOT NULL,
  errors        INTEGER NOT NULL,
  files_read    INTEGER NOT NULL,
  files_edited  INTEGER NOT NULL,
  lines_added   INTEGER NOT NULL,
  lines_removed INTEGER NOT NULL,
  input_tokens  INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_micros   INTEGER NOT NULL,
  size          INTEGER NOT NULL,
  PRIMARY KEY (session, turn)
) STRICT, WITHOUT ROWID;

CREATE TABLE signals (
  session     TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  sequence    INTEGER NOT NULL,
  turn        INTEGER NOT NULL,
  day         TEXT    NOT NULL, -- of the detection
  detector    TEXT    NOT NULL,
  class       TEXT    NOT NULL,
  subject     TEXT    NOT NULL,
  message     TEXT    NOT NULL,
  path        TEXT    NOT NULL,
  line        INTEGER NOT NULL,
  urgency     INTEGER NOT NULL, -- tenths
  rework_cost INTEGER NOT NULL,
  confidence  REAL    NOT NULL,
  ending      TEXT    NOT NULL, -- pending, queued, or one of DP-18
  end_turn    INTEGER NOT NULL,
  reason      TEXT    NOT NULL,
  carried_by  TEXT    NOT NULL, -- coalesced: the signal that stands for it
  size        INTEGER NOT NULL,
  PRIMARY KEY (session, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE interrupts (
  id            TEXT    PRIMARY KEY,
  session       TEXT    NOT NULL,
  grp           TEXT    NOT NULL,
  sequence      INTEGER NOT NULL,
  time          INTEGER NOT NULL,
  day           TEXT    NOT NULL,
  turn          INTEGER NOT NULL,
  detector      TEXT    NOT NULL,
  class         TEXT    NOT NULL,
  urgency       INTEGER NOT NULL,
  label         TEXT    NOT NULL,
  from_queue    INTEGER NOT NULL,
  message       TEXT    NOT NULL,
  reason        TEXT    NOT NULL,
  findings      INTEGER NOT NULL,
  budget_before INTEGER NOT NULL,
  budget_after  INTEGER NOT NULL,
  heed          TEXT    NOT NULL, -- heeded, ignored, '' not judged
  dismissed     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX interrupts_by_session ON interrupts (session, turn);

-- What happened to an interrupt on its way (DP-21).
CREATE TABLE deliveries (
  interrupt TEXT    NOT NULL,
  number    INTEGER NOT NULL,
  time      INTEGER NOT NULL,
  state     TEXT    NOT NULL, -- emitted, delivered, expired, unsupported
  channel   TEXT    NOT NULL,
  author    TEXT    NOT NULL,
  PRIMARY KEY (interrupt, number)
) STRICT, WITHOUT ROWID;

-- What was said about it (DP-15, DP-21).
CREATE TABLE verdicts (
  interrupt TEXT    NOT NULL,
  number    INTEGER NOT NULL,
  time      INTEGER NOT NULL,
  state     TEXT    NOT NULL, -- acked, heeded, ignored, dismissed
  channel   TEXT    NOT NULL,
  author    TEXT    NOT NULL,
  why       TEXT    NOT NULL,
  PRIMARY KEY (interrupt, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE mutes (
  sequence  INTEGER PRIMARY KEY,
  time      INTEGER NOT NULL,
  session   TEXT    NOT NULL, -- '' every session of the group
  grp       TEXT    NOT NULL,
  scope     TEXT    NOT NULL,
  detector  TEXT    NOT NULL,
  subject   TEXT    NOT NULL,
  author    TEXT    NOT NULL,
  why       TEXT    NOT NULL,
  from_turn INTEGER NOT NULL,
  turns     INTEGER NOT NULL, -- 0: not limited by turns
  until     INTEGER NOT NULL  -- 0: not limited by time
) STRICT;

-- Counts by day; they stay when the rows of a session leave for lack of room.
-- Kinds: detector, agent, unsupported. An interrupt's fate counts on the day it
-- fired, a signal's end on the day it was detected.
CREATE TABLE daily (
  day   TEXT    NOT NULL,
  kind  TEXT    NOT NULL,
  name  TEXT    NOT NULL,
  what  TEXT    NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (day, kind, name, what)
) STRICT, WITHOUT ROWID;

-- Names that publishers choose, so that their number has a bound.
CREATE TABLE names (
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

-- Interrupts by outcome since the beginning; never decreases.
CREATE TABLE totals (
  detector TEXT    NOT NULL,
  outcome  TEXT    NOT NULL,
  count    INTEGER NOT NULL,
  PRIMARY KEY (detector, outcome)
) STRICT, WITHOUT ROWID;
