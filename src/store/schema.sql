-- The archive's format. A change is a new step in store/migrations.cpp, never an edit of an old one.
-- Format 2 adds runs.folder: name of the run's folder under runs/ beside the archive, NULL = the id.
-- Format 3 adds replies.unpriced and failures.unpriced: spec of the model whose price was not known
-- (cost_usd is 0 then), else ''.
-- Format 4 adds the table derived: what was made from a judged source and stands beside it. Columns: run,
-- source (sha256), kind ("sass"), accepted (0 or 1), summary (a sentence), report (JSON, docs/sass.md),
-- content (the machine code, empty where nothing was accepted), created_ms.
-- Times are milliseconds since 1970 and durations milliseconds; they and `events` are the only
-- things that differ between two runs with the same answers and verdicts.

CREATE TABLE runs (
  id          TEXT PRIMARY KEY,           -- "transpose-3": the task's name and a number
  task        TEXT NOT NULL,
  task_json   TEXT NOT NULL,              -- the whole task, so that a run needs no folder to resume
  strategy    TEXT NOT NULL,
  model       TEXT NOT NULL,
  device      TEXT NOT NULL,
  status      INTEGER NOT NULL,           -- RunStatus in store/records.h
  ending      TEXT NOT NULL DEFAULT '',   -- why it ended, a sentence
  best_trial  TEXT NOT NULL DEFAULT '',
  created_ms  INTEGER NOT NULL,
  elapsed_ms  INTEGER NOT NULL DEFAULT 0  -- over all processes that worked on it
) STRICT;

CREATE TABLE config (
  run    TEXT NOT NULL REFERENCES runs(id),
  key    TEXT NOT NULL,
  value  TEXT NOT NULL,
  origin TEXT NOT NULL,                   -- "default", "flag -n", "warpwright.toml:4", ...
  PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID;

-- Sources and message texts, stored once however often they are repeated.
CREATE TABLE texts (
  sha256 TEXT PRIMARY KEY,
  text   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE prompts (
  run        TEXT NOT NULL REFERENCES runs(id),
  trial      TEXT NOT NULL,               -- "r2.c1", "r2.c1.fix1", "k3.t2"
  round      INTEGER NOT NULL,
  slot       INTEGER NOT NULL,
  repair     INTEGER NOT NULL,
  kind       TEXT NOT NULL,               -- "initial", "optimise", "repair-compile", ...
  parent     TEXT NOT NULL,               -- the trial it refines, or ''
  messages   TEXT NOT NULL,               -- JSON: [[role, sha256 of the text], ...]
  created_ms INTEGER NOT NULL,
  PRIMARY KEY (run, trial)
) STRICT, WITHOUT ROWID;

CREATE TABLE replies (
  run           TEXT NOT NULL,
  trial         TEXT NOT NULL,
  text          TEXT NOT NULL,
  reasoning     TEXT NOT NULL,
  model         TEXT NOT NULL,
  finish_reason TEXT NOT NULL,
  origin        TEXT NOT NULL,            -- "model", "tell", "given", "tune" or "merge"
  fresh         INTEGER NOT NULL,         -- tokens, as llm::Usage counts them
  cache_read    INTEGER NOT NULL,
  cache_write   INTEGER NOT NULL,
  output        INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  estimated     INTEGER NOT NULL,
  cost_usd      REAL NOT NULL,
  created_ms    INTEGER NOT NULL,
  PRIMARY KEY (run, trial),
  FOREIGN KEY (run, trial) REFERENCES prompts(run, trial)
) STRICT, WITHOUT ROWID;

-- Requests that cost something or nothing and brought no answer.
CREATE TABLE failures (
  run        TEXT NOT NULL,
  trial      TEXT NOT NULL,
  attempt    INTEGER NOT NULL,
  error      TEXT NOT NULL,
  final      INTEGER NOT NULL,            -- 1: no further attempt was made
  tokens     INTEGER NOT NULL,
  cost_usd   REAL NOT NULL,
  created_ms INTEGER NOT NULL,
  PRIMARY KEY (run, trial, attempt),
  FOREIGN KEY (run, trial) REFERENCES prompts(run, trial)
) STRICT, WITHOUT ROWID;

-- What was found in a reply.
CREATE TABLE candidates (
  run    TEXT NOT NULL,
  trial  TEXT NOT NULL,
  source TEXT NOT NULL,                   -- sha256 in texts, '' when there is no code
  reason TEXT NOT NULL,                   -- why there is no code
  PRIMARY KEY (run, trial)
) STRICT, WITHOUT ROWID;

-- One verdict per source and run: the same code is judged once.
CREATE TABLE evaluations (
  run        TEXT NOT NULL REFERENCES runs(id),
  source     TEXT NOT NULL,
  verdict    INTEGER NOT NULL,            -- Verdict in core/verdict.h
  stage      INTEGER NOT NULL,
  reason     TEXT NOT NULL,
  score_us   REAL,
  result     TEXT NOT NULL,               -- the whole result, docs/formats.md
  created_ms INTEGER NOT NULL,
  PRIMARY KEY (run, source)
) STRICT, WITHOUT ROWID;

CREATE TABLE measurements (
  run         TEXT NOT NULL,
  source      TEXT NOT NULL,
  size        TEXT NOT NULL,
  kind        INTEGER NOT NULL,           -- TimeSource in core/evaluation.h
  median_us   REAL NOT NULL,
  low_us      REAL NOT NULL,
  high_us     REAL NOT NULL,
  samples     INTEGER NOT NULL,
  floor_us    REAL NOT NULL,
  baseline_us REAL NOT NULL,
  PRIMARY KEY (run, source, size)
) STRICT, WITHOUT ROWID;

-- What happened, for people: starts, resumes, retries, stops. Never read by the search.
CREATE TABLE events (
  id    INTEGER PRIMARY KEY,
  run   TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  kind  TEXT NOT NULL,
  data  TEXT NOT NULL
) STRICT;
CREATE INDEX events_of_run ON events(run, id);
