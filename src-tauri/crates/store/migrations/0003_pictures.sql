-- What the page of a version looks like, small, for the tree of the history.
CREATE TABLE version_pictures (
    version TEXT PRIMARY KEY NOT NULL REFERENCES versions (id) ON DELETE CASCADE,
    asset   TEXT NOT NULL REFERENCES assets (sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX version_pictures_by_asset ON version_pictures (asset);
