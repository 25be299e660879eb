CREATE TABLE generations (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  project_id text COLLATE "C" NOT NULL REFERENCES projects,
  -- NULL once the keyword is deleted; `keyword` stays what it was at the time.
  keyword_id text COLLATE "C" REFERENCES keywords ON DELETE SET NULL,
  keyword text NOT NULL,
  instructions text,
  status text NOT NULL DEFAULT 'QUEUED'
    CHECK (status IN ('QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')),
  progress int NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
  -- No foreign key: the article may be deleted, that it was made stays true.
  article_id text COLLATE "C",
  error_code text,
  error_message text,
  -- Each run is one workflow: 1 for the first, raised when Temporal has lost it.
  run int NOT NULL DEFAULT 1,
  -- Answers of the provider that were failures. One that died with its worker is not among them.
  failures int NOT NULL DEFAULT 0,
  started_at timestamptz,
  finished_at timestamptz,
  -- The start of the transaction: the month in which it was taken from the quota.
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Due for the dispatcher: its workflow is to be started, or cancelled where the status is CANCELLED;
  -- once claimed, the end of the claim's lease. NULL when there is nothing to tell Temporal.
  due_at timestamptz,
  -- When the sweep asks Temporal whether the workflow is still there.
  check_at timestamptz
) WITH (fillfactor = 70);
CREATE INDEX generations_tenant ON generations (account_id, mode, id DESC);
CREATE INDEX generations_project ON generations (project_id, id DESC);
CREATE INDEX generations_keyword ON generations (keyword_id, id DESC) WHERE keyword_id IS NOT NULL;
CREATE INDEX generations_due ON generations (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX generations_check ON generations (check_at) WHERE check_at IS NOT NULL;
