-- Ids are TypeIDs: text, compared bytewise, so that their order is their age.

-- One row per deployment: what must stay the same for as long as the data lives.
CREATE TABLE deployment (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  -- A known text, encrypted: a wrong ARDEN_ENCRYPTION_KEY is found at the start, not at the first send.
  encryption_canary text
);
INSERT INTO deployment DEFAULT VALUES;

CREATE TABLE accounts (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  -- Live generations in one UTC month.
  monthly_generations int NOT NULL DEFAULT 100 CHECK (monthly_generations >= 0),
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Append-only: who did what, when, from where. Written in the change's own transaction.
CREATE TABLE audit_entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  action text NOT NULL,
  subject_id text COLLATE "C" NOT NULL,
  actor_type text NOT NULL CHECK (actor_type IN ('key', 'user', 'cli')),
  actor_id text NOT NULL,
  actor_name text NOT NULL,
  address text,
  -- What changed, without any secret.
  changes jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_entries_account ON audit_entries (account_id, id DESC);

CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit history is append-only';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();

CREATE TABLE api_keys (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  name text NOT NULL,
  scopes text[] NOT NULL,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  -- SHA-256 of the value: 128 random bits and more need no salt and no slow hash.
  hash bytea NOT NULL,
  prefix text NOT NULL,
  rate_limit int NOT NULL CHECK (rate_limit BETWEEN 1 AND 100000),
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX api_keys_hash ON api_keys (hash);
CREATE INDEX api_keys_account ON api_keys (account_id, id DESC);

-- The state of a key's sliding window. Apart from api_keys, because every request rewrites it: narrow
-- rows with room beside them stay on their page and touch no index.
CREATE TABLE api_key_windows (
  key_id text COLLATE "C" PRIMARY KEY REFERENCES api_keys,
  -- Number of the oldest hit that was still inside the window, and of the newest.
  first_n bigint NOT NULL DEFAULT 1,
  last_n bigint NOT NULL DEFAULT 0,
  last_at timestamptz
) WITH (fillfactor = 50);

-- Accepted requests, numbered without gaps per key. Older than the window: deleted by the next ones.
CREATE TABLE api_key_hits (
  key_id text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (key_id, n)
);

CREATE TABLE projects (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  name text NOT NULL,
  domain text,
  language text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Set by DELETE: hidden at once with all under it, until a job in the worker has removed it.
  deleted_at timestamptz
);
CREATE INDEX projects_tenant ON projects (account_id, mode, id DESC);
CREATE INDEX projects_deleted ON projects (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE keywords (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  project_id text COLLATE "C" NOT NULL REFERENCES projects,
  keyword text NOT NULL,
  tracked boolean NOT NULL,
  country text NOT NULL,
  device text NOT NULL CHECK (device IN ('desktop', 'mobile')),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX keywords_unique ON keywords (project_id, keyword, country, device);

CREATE TABLE articles (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  project_id text COLLATE "C" NOT NULL REFERENCES projects,
  keyword_id text COLLATE "C" REFERENCES keywords,
  title text NOT NULL,
  slug text NOT NULL,
  body text NOT NULL,
  status text NOT NULL CHECK (status IN ('DRAFT', 'PUBLISHED')),
  published_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX articles_tenant ON articles (account_id, mode, id DESC);
CREATE INDEX articles_project ON articles (project_id, id DESC);
CREATE INDEX articles_keyword ON articles (keyword_id, id DESC) WHERE keyword_id IS NOT NULL;

CREATE TABLE webhooks (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  url text NOT NULL,
  events text[] NOT NULL,
  description text,
  enabled boolean NOT NULL DEFAULT true,
  disabled_reason text,
  -- AES-256-GCM; the form names the encryption key it was made with.
  secret text NOT NULL,
  previous_secret text,
  previous_secret_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);
CREATE INDEX webhooks_tenant ON webhooks (account_id, mode, id DESC) WHERE deleted_at IS NULL;

-- No foreign keys on events, deliveries and attempts: they are written on the hot path, always by
-- the one statement that also wrote what they point to, and deleted together by retention.
CREATE TABLE events (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  type text NOT NULL,
  -- The envelope, byte for byte as it is sent and signed.
  body text NOT NULL,
  -- Commit order: read below pg_snapshot_xmin(pg_current_snapshot()), by (xid, id).
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  created_at timestamptz NOT NULL
);
CREATE INDEX events_tenant ON events (account_id, mode, id DESC);

CREATE TABLE deliveries (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  webhook_id text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  event_type text NOT NULL,
  test boolean NOT NULL DEFAULT false,
  status text NOT NULL CHECK (status IN ('RETRYING', 'DELIVERED', 'FAILED')),
  -- Each run is one workflow: 1 for the first, raised by a redelivery or a restart.
  run int NOT NULL DEFAULT 1,
  attempt_count int NOT NULL DEFAULT 0,
  -- The attempt count at which this run ends FAILED: 3 for the first run, 3 more for each redelivery.
  attempt_limit int NOT NULL DEFAULT 3,
  http_status int,
  response_body text,
  error text,
  next_attempt_at timestamptz,
  delivered_at timestamptz,
  created_at timestamptz NOT NULL,
  -- Due for the dispatcher: to be claimed, or, once claimed, the end of the claim's lease.
  -- NULL while a workflow owns the delivery, and when it is final.
  due_at timestamptz,
  -- When the sweep asks Temporal whether the workflow is still there. NULL when none owns it.
  check_at timestamptz
) WITH (fillfactor = 80);
CREATE INDEX deliveries_due ON deliveries (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_check ON deliveries (check_at) WHERE check_at IS NOT NULL;
CREATE INDEX deliveries_webhook ON deliveries (webhook_id, id DESC);
CREATE INDEX deliveries_event ON deliveries (event_id);

CREATE TABLE attempts (
  delivery_id text COLLATE "C" NOT NULL,
  number int NOT NULL,
  -- Made before sending: recording the same outcome twice finds it.
  id uuid NOT NULL,
  started_at timestamptz NOT NULL,
  duration_ms int NOT NULL,
  http_status int,
  error text,
  response_body text,
  -- What was sent, for the person who looks why it failed. Never the secret.
  request_url text NOT NULL,
  request_headers jsonb NOT NULL,
  PRIMARY KEY (delivery_id, number),
  -- An index, and not a look before the insert: it also sees what a statement's snapshot does not.
  UNIQUE (delivery_id, id)
);

-- Workers write a row each few seconds; serve tells the system's state from it without asking Temporal.
CREATE TABLE workers (
  id text PRIMARY KEY,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
