-- A search is one keyword, whatever its case, in one country on one device.
ALTER TABLE keywords
  -- The keyword in lower case, made by Arden: Postgres's lower() differs with the database's locale.
  ADD COLUMN folded text,
  -- Of the latest of its rankings by checked_at; NULL also when the site was not found.
  ADD COLUMN latest_position int,
  -- Start of the run of the rank tracker that recorded its last ranking.
  ADD COLUMN rank_run_at timestamptz,
  -- Set by DELETE: hidden at once, until nothing hangs on it any more.
  ADD COLUMN deleted_at timestamptz;
UPDATE keywords SET folded = lower(keyword);
ALTER TABLE keywords ALTER COLUMN folded SET NOT NULL;

DROP INDEX keywords_unique;
CREATE UNIQUE INDEX keywords_unique ON keywords (project_id, folded, country, device)
  WHERE deleted_at IS NULL;
CREATE INDEX keywords_project ON keywords (project_id, id DESC);
CREATE INDEX keywords_deleted ON keywords (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX keywords_ranked_daily ON keywords (id)
  WHERE tracked AND mode = 'live' AND deleted_at IS NULL;

CREATE TABLE rankings (
  id text COLLATE "C" PRIMARY KEY,
  keyword_id text COLLATE "C" NOT NULL REFERENCES keywords,
  -- NULL: not found among the first 100.
  position int CHECK (position BETWEEN 1 AND 100),
  url text,
  -- To the millisecond, which is what the API shows.
  checked_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX rankings_keyword ON rankings (keyword_id, checked_at DESC, id DESC);
