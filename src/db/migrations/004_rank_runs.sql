-- The daily runs of the rank tracking, one row for each: `arden doctor` and the metrics show what a run did not check.
CREATE TABLE rank_runs (
  started_at timestamptz PRIMARY KEY,
  -- Keywords to check, counted at the start.
  keywords int NOT NULL,
  -- Days before this run without a run.
  missed_days int NOT NULL DEFAULT 0,
  ranked int NOT NULL DEFAULT 0,
  failed int NOT NULL DEFAULT 0,
  -- Keywords without a ranking of this run: counted after a day, and when it ends for a `problem`.
  unranked int NOT NULL DEFAULT 0,
  finished_at timestamptz,
  -- Why it ended before every keyword was checked.
  problem text
);
