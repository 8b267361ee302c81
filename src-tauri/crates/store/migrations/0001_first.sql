-- Times are Unix milliseconds, ids are UUID text, states and kinds carry their wire names.
-- `nth` is the order of insertion: the clock may go back, it cannot.

CREATE TABLE assets (
    sha256        TEXT PRIMARY KEY NOT NULL CHECK (length(sha256) = 64),
    mime          TEXT NOT NULL,
    extension     TEXT NOT NULL,
    bytes         INTEGER NOT NULL,
    width         INTEGER,
    height        INTEGER,
    created_at_ms INTEGER NOT NULL,
    put_at_ms     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
    nth              INTEGER PRIMARY KEY,
    id               TEXT NOT NULL UNIQUE,
    name             TEXT NOT NULL,
    created_at_ms    INTEGER NOT NULL,
    updated_at_ms    INTEGER NOT NULL,
    thumbnail_asset  TEXT REFERENCES assets (sha256),
    memory_from_turn TEXT REFERENCES turns (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX projects_by_thumbnail ON projects (thumbnail_asset);

CREATE TABLE project_assets (
    project TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    asset   TEXT NOT NULL REFERENCES assets (sha256),
    label   TEXT NOT NULL,
    PRIMARY KEY (project, asset)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_assets_by_asset ON project_assets (asset);

-- An input waits without a project until one is made for it.
CREATE TABLE inputs (
    nth           INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    project       TEXT REFERENCES projects (id) ON DELETE CASCADE,
    name          TEXT NOT NULL,
    asset         TEXT NOT NULL REFERENCES assets (sha256),
    mime          TEXT NOT NULL,
    width         INTEGER NOT NULL,
    height        INTEGER NOT NULL,
    bytes         INTEGER NOT NULL,
    position      INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX inputs_by_project ON inputs (project, position);
CREATE INDEX inputs_by_asset ON inputs (asset);

CREATE TABLE turns (
    nth             INTEGER PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    project         TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    kind            TEXT NOT NULL CHECK (kind IN ('create', 'modify')),
    parent_version  TEXT REFERENCES versions (id) ON DELETE SET NULL,
    instruction     TEXT NOT NULL,
    assistant_text  TEXT NOT NULL DEFAULT '',
    touched_files   TEXT NOT NULL DEFAULT '[]',
    intent_category TEXT,
    awaiting_reply  INTEGER NOT NULL DEFAULT 0,
    diff            TEXT NOT NULL DEFAULT '',
    created_at_ms   INTEGER NOT NULL
) STRICT;
CREATE INDEX turns_by_project ON turns (project);
CREATE INDEX turns_by_parent_version ON turns (parent_version);

-- `opener` is the process that records the run: only a dead opener's run may be found interrupted.
CREATE TABLE runs (
    nth           INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    project       TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    turn          TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    request       TEXT NOT NULL,
    state         TEXT NOT NULL,
    opener        TEXT NOT NULL,
    started_at_ms INTEGER NOT NULL,
    ended_at_ms   INTEGER
) STRICT;
CREATE INDEX runs_by_project ON runs (project);
CREATE INDEX runs_by_turn ON runs (turn);
CREATE INDEX runs_unended ON runs (state) WHERE ended_at_ms IS NULL;

CREATE TABLE variants (
    run             TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    idx             INTEGER NOT NULL CHECK (idx BETWEEN 0 AND 255),
    engine          TEXT NOT NULL,
    state           TEXT NOT NULL,
    error_kind      TEXT,
    error_message   TEXT,
    error_next_step TEXT,
    rounds          INTEGER NOT NULL DEFAULT 0,
    tokens          TEXT NOT NULL DEFAULT 'null',
    cost_usd        REAL,
    elapsed_ms      INTEGER NOT NULL DEFAULT 0,
    version         TEXT REFERENCES versions (id) ON DELETE SET NULL,
    PRIMARY KEY (run, idx)
) STRICT;
CREATE INDEX variants_by_version ON variants (version);

CREATE TABLE rounds (
    run            TEXT NOT NULL,
    idx            INTEGER NOT NULL,
    round          INTEGER NOT NULL,
    usage          TEXT NOT NULL,
    cost_usd       REAL,
    elapsed_ms     INTEGER NOT NULL,
    retries        INTEGER NOT NULL,
    prompt_version TEXT NOT NULL,
    PRIMARY KEY (run, idx, round),
    FOREIGN KEY (run, idx) REFERENCES variants (run, idx) ON DELETE CASCADE
) STRICT;

CREATE TABLE events (
    run  TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    seq  INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT;

CREATE TABLE versions (
    nth           INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    project       TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    parent        TEXT REFERENCES versions (id) ON DELETE SET NULL,
    run           TEXT REFERENCES runs (id) ON DELETE SET NULL,
    variant       INTEGER,
    created_at_ms INTEGER NOT NULL,
    label         TEXT NOT NULL,
    kind          TEXT NOT NULL CHECK (kind IN ('result', 'draft'))
) STRICT;
CREATE INDEX versions_by_project ON versions (project);
CREATE INDEX versions_by_parent ON versions (parent);
CREATE INDEX versions_by_run ON versions (run);

CREATE TABLE contents (
    sha256 TEXT PRIMARY KEY NOT NULL,
    text   BLOB NOT NULL
) STRICT;

CREATE TABLE version_files (
    version     TEXT NOT NULL REFERENCES versions (id) ON DELETE CASCADE,
    path        TEXT NOT NULL,
    content_sha TEXT NOT NULL REFERENCES contents (sha256),
    PRIMARY KEY (version, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX version_files_by_content ON version_files (content_sha);

CREATE TABLE settings (
    key   TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
