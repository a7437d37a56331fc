-- schema.sql - the store of runs. Compiled into the program (embed.sed): no double quotes, no backslashes.
-- A comment that begins with 'Version' begins the step from the version before: a new store takes all steps, an old
-- one those it lacks.
-- SPDX-License-Identifier: MIT

-- Version 1.

-- One row a run. A metric or loss that does not exist (no test fold, a run that failed) is NULL.
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,              -- SHA-256 of what identifies the run: the same run is never stored twice
    status TEXT NOT NULL CHECK (status IN ('done', 'failed')),
    dataset TEXT NOT NULL,
    fingerprint TEXT NOT NULL,             -- of the data set, 16 hexadecimal digits
    folds_from TEXT NOT NULL,
    fold INTEGER NOT NULL,                 -- from 1; 0 when the split is fixed
    folds INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    config TEXT NOT NULL CHECK (json_valid(config)),
    epochs INTEGER NOT NULL DEFAULT 0,
    best_epoch INTEGER NOT NULL DEFAULT 0,
    hit_cap INTEGER NOT NULL DEFAULT 0,
    train_loss REAL,
    val_loss REAL,
    val_metric REAL,
    test_metric REAL,
    large_metric REAL,
    seconds REAL,
    seconds_per_epoch REAL,
    peak_bytes INTEGER NOT NULL DEFAULT 0,
    model_sha256 TEXT NOT NULL DEFAULT '',
    message TEXT NOT NULL DEFAULT '',      -- why it failed
    version TEXT NOT NULL,                 -- of midpool
    finished TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
);
CREATE INDEX run_by_dataset ON run (dataset, seed, fold);

-- The learning curve of a run, one row an epoch, epochs from 1.
CREATE TABLE curve (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    epoch INTEGER NOT NULL,
    train_loss REAL,
    val_loss REAL,
    val_metric REAL,
    PRIMARY KEY (run, epoch)
) WITHOUT ROWID;

-- Version 2. What studies set out to compare: a row of a report is a row here. Its runs share data set, folds and
-- every option in config; all else varies: the seed, and under a grid flip, score-dim and drop, which the grid sets.
-- In place of the name of a grid there may be a list of points as JSON, with its rule (src/train/points.h): its options vary.
-- Nothing here enters the key of a run: one run may serve several studies.
CREATE TABLE study (
    id INTEGER PRIMARY KEY,
    dataset TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    folds_from TEXT NOT NULL,
    folds INTEGER NOT NULL,
    grid TEXT NOT NULL,                    -- none, code or paper
    config TEXT NOT NULL CHECK (json_valid(config)),
    UNIQUE (dataset, fingerprint, folds_from, folds, grid, config)
);

-- Version 3. What a run learns, the metric that leads, and every metric. Runs from before: a count where the set was known
-- to have one, else classes; only one metric was kept. Keys cover what differs from the defaults of the parts in use.
ALTER TABLE run ADD COLUMN task TEXT NOT NULL DEFAULT 'classify';
ALTER TABLE run ADD COLUMN metric TEXT NOT NULL DEFAULT 'accuracy';
UPDATE run SET task = 'count', metric = 'count_accuracy' WHERE dataset IN ('COLORS-3', 'TRIANGLES', 'ZINC_12k');
UPDATE OR IGNORE run SET key = midpool_key(dataset, fingerprint, folds_from, fold, folds, config);
CREATE TABLE metric (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    place INTEGER NOT NULL,                -- in the order of the task
    val REAL,
    test REAL,
    large REAL,
    PRIMARY KEY (run, name)
) WITHOUT ROWID;
INSERT INTO metric SELECT id, metric, 0, val_metric, test_metric, large_metric FROM run WHERE status = 'done';

-- Version 4. Whether the probabilities of test graphs hold: a row for each of ten equal bins of the probability that is not
-- empty. Runs from before have none.
CREATE TABLE calibration (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    bin INTEGER NOT NULL,                  -- from 0: [bin/10, (bin + 1)/10), the last one with its end
    count INTEGER NOT NULL,                -- how often a probability in it was said
    said REAL NOT NULL,                    -- sum of these probabilities
    held REAL NOT NULL,                    -- how often what was said was true
    squares REAL NOT NULL,                 -- sum of (probability - true or not)^2
    PRIMARY KEY (run, bin)
) WITHOUT ROWID;

-- Version 5. What experiments measured beside runs: of a trained model, of a machine. A value is JSON, known by what it is of.
CREATE TABLE measure (
    key TEXT PRIMARY KEY,                  -- SHA-256 of what
    what TEXT NOT NULL CHECK (json_valid(what)),
    value TEXT NOT NULL CHECK (json_valid(value)),
    version TEXT NOT NULL,                 -- of midpool
    finished TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
) WITHOUT ROWID;

-- Version 6. The third test of generated sets: larger graphs with other colours. Runs from before have none.
ALTER TABLE run ADD COLUMN large_c_metric REAL;
ALTER TABLE metric ADD COLUMN large_c REAL;

-- Version 7. Who is at work on the store, and on which runs, so that no run is trained twice. A command is a worker here,
-- its processes are not. Times are seconds since 1970 by the clock of the store. Rows go when the work ends.
CREATE TABLE worker (
    id TEXT PRIMARY KEY,                   -- random
    host TEXT NOT NULL,
    boot TEXT NOT NULL,                    -- of the host, and its space of process numbers
    pid INTEGER NOT NULL,
    birth INTEGER NOT NULL,                -- of the process, in ticks since the boot: numbers are used again
    command TEXT NOT NULL,
    started REAL NOT NULL,
    beat REAL NOT NULL,                    -- the last sign of life: every few seconds
    plan TEXT NOT NULL,                    -- SHA-256 over the sorted keys of its runs
    total INTEGER NOT NULL,                -- runs of its plan
    finished INTEGER NOT NULL              -- of these, found done or finished since
) WITHOUT ROWID;
CREATE TABLE lease (
    key TEXT PRIMARY KEY,                  -- of a run that is being trained
    worker TEXT NOT NULL REFERENCES worker (id) ON DELETE CASCADE,
    dataset TEXT NOT NULL,
    pool TEXT NOT NULL,
    seed INTEGER NOT NULL,
    fold INTEGER NOT NULL,
    started REAL NOT NULL,
    epoch INTEGER NOT NULL DEFAULT 0,      -- how far it is, of at most so many
    epochs INTEGER NOT NULL DEFAULT 0,
    loss REAL
) WITHOUT ROWID;
CREATE INDEX lease_by_worker ON lease (worker);
