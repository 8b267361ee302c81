-- Money is counted in billionths of a dollar, so that sums come out even. JSON columns hold what other rooms mean.

-- How far the talk was when a version was kept: its last turn, and how many messages of which variant.
ALTER TABLE versions ADD COLUMN turn TEXT REFERENCES turns (id) ON DELETE SET NULL;
ALTER TABLE versions ADD COLUMN talk_run TEXT REFERENCES runs (id) ON DELETE SET NULL;
ALTER TABLE versions ADD COLUMN talk_variant INTEGER;
ALTER TABLE versions ADD COLUMN messages INTEGER NOT NULL DEFAULT 0;
CREATE INDEX versions_by_turn ON versions (turn);
CREATE INDEX versions_by_talk ON versions (talk_run);
UPDATE versions SET turn = (SELECT runs.turn FROM runs WHERE runs.id = versions.run),
    talk_run = run, talk_variant = variant;

CREATE TABLE version_assets (
    version TEXT NOT NULL REFERENCES versions (id) ON DELETE CASCADE,
    asset   TEXT NOT NULL REFERENCES assets (sha256),
    PRIMARY KEY (version, asset)
) STRICT, WITHOUT ROWID;
CREATE INDEX version_assets_by_asset ON version_assets (asset);

CREATE TABLE scores (
    version        TEXT PRIMARY KEY NOT NULL REFERENCES versions (id) ON DELETE CASCADE,
    score          REAL NOT NULL CHECK (score BETWEEN 0 AND 100),
    parts          TEXT NOT NULL,
    measured_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The way through the versions of a project. Rows behind `project_positions.position` can be undone, rows ahead
-- of it redone; numbers may have gaps where a version was removed.
CREATE TABLE steps (
    project  TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    position INTEGER NOT NULL CHECK (position > 0),
    version  TEXT NOT NULL REFERENCES versions (id) ON DELETE CASCADE,
    PRIMARY KEY (project, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX steps_by_version ON steps (version);

CREATE TABLE project_positions (
    project  TEXT PRIMARY KEY NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    position INTEGER NOT NULL CHECK (position >= 0)
) STRICT, WITHOUT ROWID;

-- Runs of the past: the first option of each is a step.
INSERT INTO steps (project, position, version)
SELECT project, row_number() OVER (PARTITION BY project ORDER BY nth), id
FROM versions
WHERE kind = 'result' AND (run IS NULL OR nth = (
    SELECT first.nth FROM versions AS first
    WHERE first.run = versions.run AND first.kind = 'result' ORDER BY first.variant, first.nth LIMIT 1
));
INSERT INTO project_positions (project, position)
SELECT project, max(position) FROM steps GROUP BY project;

CREATE TABLE project_values (
    project TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    key     TEXT NOT NULL,
    value   TEXT NOT NULL,
    PRIMARY KEY (project, key)
) STRICT, WITHOUT ROWID;

-- A conversation as the vendor wants it back. `dialect` says in whose form `body` is.
CREATE TABLE messages (
    run     TEXT NOT NULL,
    idx     INTEGER NOT NULL,
    nth     INTEGER NOT NULL CHECK (nth > 0),
    round   INTEGER NOT NULL,
    role    TEXT NOT NULL CHECK (role IN ('system', 'user', 'vendor')),
    dialect TEXT NOT NULL,
    body    TEXT NOT NULL,
    PRIMARY KEY (run, idx, nth),
    FOREIGN KEY (run, idx) REFERENCES variants (run, idx) ON DELETE CASCADE
) STRICT;

-- The calls of a vendor's turn with their results, in order.
CREATE TABLE tool_calls (
    run       TEXT NOT NULL,
    idx       INTEGER NOT NULL,
    message   INTEGER NOT NULL,
    position  INTEGER NOT NULL,
    call_id   TEXT NOT NULL,
    name      TEXT NOT NULL,
    arguments TEXT NOT NULL,
    ok        INTEGER NOT NULL CHECK (ok IN (0, 1)),
    result    TEXT NOT NULL,
    PRIMARY KEY (run, idx, message, position),
    FOREIGN KEY (run, idx, message) REFERENCES messages (run, idx, nth) ON DELETE CASCADE
) STRICT;

-- Pictures of a message, or of the result of one of its calls.
CREATE TABLE message_images (
    run      TEXT NOT NULL,
    idx      INTEGER NOT NULL,
    message  INTEGER NOT NULL,
    position INTEGER NOT NULL,
    call     INTEGER,
    asset    TEXT NOT NULL REFERENCES assets (sha256),
    label    TEXT NOT NULL,
    PRIMARY KEY (run, idx, message, position),
    FOREIGN KEY (run, idx, message) REFERENCES messages (run, idx, nth) ON DELETE CASCADE
) STRICT;
CREATE INDEX message_images_by_asset ON message_images (asset);

-- One row per thing that costs: open until it is settled or released, and never changed after that.
CREATE TABLE ledger (
    nth            INTEGER PRIMARY KEY,
    project        TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    run            TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    key            TEXT NOT NULL,
    state          TEXT NOT NULL CHECK (state IN ('open', 'settled', 'released')),
    reserved_nanos INTEGER NOT NULL CHECK (reserved_nanos >= 0),
    settled_nanos  INTEGER NOT NULL DEFAULT 0 CHECK (settled_nanos >= 0),
    released_nanos INTEGER NOT NULL DEFAULT 0 CHECK (released_nanos >= 0),
    opened_at_ms   INTEGER NOT NULL,
    closed_at_ms   INTEGER,
    UNIQUE (run, key),
    CHECK (CASE state
        WHEN 'open' THEN settled_nanos = 0 AND released_nanos = 0
        WHEN 'settled' THEN settled_nanos + released_nanos = reserved_nanos
        ELSE settled_nanos = 0 AND released_nanos = reserved_nanos
    END)
) STRICT;
CREATE INDEX ledger_by_project ON ledger (project);
CREATE TRIGGER ledger_closed_is_final BEFORE UPDATE ON ledger WHEN old.state <> 'open'
BEGIN SELECT RAISE(ABORT, 'a closed entry of the ledger is final'); END;

-- `ledger_key` names the entry of the ledger that a task pays with.
CREATE TABLE tasks (
    nth             INTEGER PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    project         TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    run             TEXT REFERENCES runs (id) ON DELETE CASCADE,
    variant         INTEGER,
    kind            TEXT NOT NULL,
    title           TEXT NOT NULL,
    stages          TEXT NOT NULL DEFAULT '[]',
    stage           TEXT NOT NULL DEFAULT '',
    state           TEXT NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
    done            INTEGER NOT NULL DEFAULT 0,
    total           INTEGER NOT NULL DEFAULT 0,
    notice          TEXT,
    inputs          TEXT NOT NULL DEFAULT 'null',
    result          TEXT NOT NULL DEFAULT 'null',
    ledger_key      TEXT,
    error_kind      TEXT,
    error_message   TEXT,
    error_next_step TEXT,
    opener          TEXT NOT NULL,
    created_at_ms   INTEGER NOT NULL,
    updated_at_ms   INTEGER NOT NULL,
    ended_at_ms     INTEGER
) STRICT;
CREATE INDEX tasks_by_project ON tasks (project);
CREATE INDEX tasks_by_run ON tasks (run);
CREATE INDEX tasks_unended ON tasks (state) WHERE ended_at_ms IS NULL;
CREATE TRIGGER tasks_terminal_is_final
BEFORE UPDATE ON tasks WHEN old.state IN ('succeeded', 'failed', 'cancelled')
BEGIN SELECT RAISE(ABORT, 'a terminal state of a task is final'); END;

CREATE TABLE task_assets (
    task     TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    path     TEXT NOT NULL,
    asset    TEXT REFERENCES assets (sha256),
    PRIMARY KEY (task, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX task_assets_by_asset ON task_assets (asset);
CREATE INDEX task_assets_by_path ON task_assets (path);
