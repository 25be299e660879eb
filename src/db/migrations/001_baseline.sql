-- All tables, grouped by part of the domain. Ids are TypeIDs: text that is compared bytewise (COLLATE "C"), so that
-- their order is the order of creation. `mode` separates test records from live ones everywhere; an account and a
-- mode together are a tenant. Functions, views and triggers are in src/db/functions.

-- Deployment ----------------------------------------------------------------------------------------------------------

-- One row: what applies to all accounts.
CREATE TABLE deployment (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  -- A known text, encrypted: a wrong ARDEN_ENCRYPTION_KEY is found at the start, not at the first request sent.
  encryption_canary text,
  -- When the canary was first encrypted with the current key.
  encryption_key_since timestamptz,
  -- While set, nothing is sent to any webhook.
  paused_at timestamptz,
  -- The last pause or resume of all deliveries: the count of automatic disabling restarts then, for every webhook.
  pause_changed_at timestamptz
);
INSERT INTO deployment DEFAULT VALUES;

-- Accounts and users --------------------------------------------------------------------------------------------------

CREATE TABLE accounts (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  -- Live generations per UTC month.
  monthly_generations int NOT NULL DEFAULT 100 CHECK (monthly_generations >= 0),
  -- The way in which users of the dashboard must sign in; NULL for any.
  required_sign_in text CHECK (required_sign_in IN ('oidc', 'passkey')),
  created_at timestamptz NOT NULL DEFAULT now()
);

-- The audit history: who changed what, when, and from which address. Append-only (audit_is_append_only.sql), written
-- in the transaction of the change.
CREATE TABLE audit_entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  action text NOT NULL,
  subject_id text COLLATE "C" NOT NULL,
  -- 'system' is Arden itself, such as when it disables a webhook that keeps failing.
  actor_type text NOT NULL CHECK (actor_type IN ('key', 'user', 'cli', 'system')),
  actor_id text NOT NULL,
  actor_name text NOT NULL,
  -- IP address of the caller; NULL for the command line and the system.
  address text,
  -- What changed, without secrets.
  changes jsonb NOT NULL DEFAULT '{}'
);
-- Pages of an account's history, newest first.
CREATE INDEX audit_entries_account ON audit_entries (account_id, id DESC);

-- Filters by time find the ids of their range (dashboard/audit/store.ts).
CREATE INDEX audit_entries_at ON audit_entries (account_id, at);

-- Users of the dashboard.
CREATE TABLE people (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  -- Case-folded, which is how addresses are compared.
  email text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
  -- argon2id hash; NULL until the user has chosen a password.
  password text,
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
-- Sign-in finds a user by address, across accounts.
CREATE UNIQUE INDEX people_email ON people (email);
CREATE INDEX people_account ON people (account_id, id DESC);

-- Links that sign a user in once.
CREATE TABLE sign_in_links (
  id text COLLATE "C" PRIMARY KEY,
  -- SHA-256 of the token; 256 random bits need no salt.
  hash bytea NOT NULL,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  -- As in audit_entries. The links of a user end when that user is disabled or no longer an owner.
  creator_type text NOT NULL,
  creator_id text COLLATE "C" NOT NULL,
  creator_name text NOT NULL,
  -- NULL in an invitation without an email address: the user enters one, and gets `role`.
  person_id text COLLATE "C" REFERENCES people,
  role text CHECK (role IN ('owner', 'member', 'viewer')),
  -- The address that an invitation is for. The user is created when the link is used, so an invitation takes no address.
  email text,
  -- An 'invitation' and a 'reset' ask for a new password; 'dev' is the link that `arden dev` prints, and does not.
  purpose text NOT NULL CHECK (purpose IN ('invitation', 'reset', 'dev')),
  -- Why its email was not sent at the last try. NULL when it was, and where none is sent.
  email_error text,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((person_id IS NULL) <> (role IS NULL))
);
-- Sign-in finds a link by its token.
CREATE UNIQUE INDEX sign_in_links_hash ON sign_in_links (hash);
-- The links for a user end with a new password.
CREATE INDEX sign_in_links_person ON sign_in_links (person_id);
CREATE INDEX sign_in_links_account ON sign_in_links (account_id, id DESC);
-- A sign-in with a provider finds the invitations for its address.
CREATE INDEX sign_in_links_email ON sign_in_links (email) WHERE email IS NOT NULL;

-- Users of an OpenID Connect provider, by whom a user of Arden signs in.
CREATE TABLE person_identities (
  issuer text NOT NULL,
  -- Unique and never reassigned within the issuer, as an email address is not.
  subject text NOT NULL,
  person_id text COLLATE "C" NOT NULL REFERENCES people,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (issuer, subject)
);
CREATE UNIQUE INDEX person_identities_person ON person_identities (person_id, issuer);

-- Passkeys (WebAuthn) of users.
CREATE TABLE passkeys (
  id text COLLATE "C" PRIMARY KEY,
  person_id text COLLATE "C" NOT NULL REFERENCES people,
  name text NOT NULL,
  -- Of the authenticator, in base64url.
  credential_id text COLLATE "C" NOT NULL,
  public_key bytea NOT NULL,
  -- Of the authenticator's signatures: one that does not grow is a copy. Always 0 with passkeys that are synchronized.
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  last_used_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX passkeys_credential ON passkeys (credential_id);
CREATE INDEX passkeys_person ON passkeys (person_id, id DESC);

-- What authenticators have to sign, each once.
CREATE TABLE passkey_challenges (
  challenge text COLLATE "C" PRIMARY KEY,
  -- Who adds a passkey; NULL to sign in.
  person_id text COLLATE "C" REFERENCES people,
  expires_at timestamptz NOT NULL
);
CREATE INDEX passkey_challenges_age ON passkey_challenges (expires_at);

-- Emails to send. Each is written in the transaction of its cause, and deleted when the mail server has accepted it.
CREATE TABLE mails (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL,
  recipient text NOT NULL,
  -- The token of the link is made when the email is sent, so that this table has no secret. No link, no email.
  link_id text COLLATE "C" REFERENCES sign_in_links ON DELETE CASCADE,
  -- What the text is composed from.
  data jsonb NOT NULL,
  attempts int NOT NULL DEFAULT 0,
  -- Why the last attempt failed.
  error text,
  -- The next attempt, or how long the worker that sends it has it.
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX mails_due ON mails (due_at);
-- A link that ends takes its email with it.
CREATE INDEX mails_link ON mails (link_id);

CREATE TABLE sessions (
  id text COLLATE "C" PRIMARY KEY,
  person_id text COLLATE "C" NOT NULL REFERENCES people,
  -- SHA-256 of the cookie's token.
  hash bytea NOT NULL,
  -- How the user signed in.
  method text NOT NULL CHECK (method IN ('password', 'link', 'oidc', 'passkey')),
  address text NOT NULL,
  user_agent text,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Last request, accurate to one minute.
  seen_at timestamptz NOT NULL DEFAULT now()
);
-- Each request of the dashboard finds its session by the cookie.
CREATE UNIQUE INDEX sessions_hash ON sessions (hash);
CREATE INDEX sessions_person ON sessions (person_id, id DESC);

-- Requests of each user of the dashboard in the current window of the rate limit (count_person_request.sql).
CREATE TABLE person_windows (
  person_id text COLLATE "C" PRIMARY KEY REFERENCES people,
  began_at timestamptz NOT NULL,
  requests int NOT NULL
) WITH (fillfactor = 50);

-- Password attempts, counted before the password is checked, for an email address and for a client address. Shared
-- by all processes, so that the limit holds across them.
CREATE TABLE sign_in_tries (
  subject text COLLATE "C" PRIMARY KEY,
  count int NOT NULL,
  since timestamptz NOT NULL
);
-- Retention deletes old rows.
CREATE INDEX sign_in_tries_age ON sign_in_tries (since);

-- Sign-ins of command lines that a user approved, until the command line fetches its key.
CREATE TABLE cli_sign_ins (
  -- SHA-256 of the secret that the command line made; 256 random bits need no salt.
  challenge bytea PRIMARY KEY,
  -- The key is created by this user, in their account.
  person_id text COLLATE "C" NOT NULL REFERENCES people,
  name text NOT NULL,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  scopes text[] NOT NULL,
  expires_at timestamptz NOT NULL
);
-- Expired ones are deleted oldest first.
CREATE INDEX cli_sign_ins_age ON cli_sign_ins (expires_at);

-- API keys and their requests -----------------------------------------------------------------------------------------

CREATE TABLE api_keys (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  name text NOT NULL,
  scopes text[] NOT NULL,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  -- SHA-256 of the value: 128 random bits and more need no salt and no slow hash.
  hash bytea NOT NULL,
  prefix text NOT NULL,
  -- Requests per sliding hour.
  rate_limit int NOT NULL CHECK (rate_limit BETWEEN 1 AND 100000),
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
-- Each request of the API finds its key by the value.
CREATE UNIQUE INDEX api_keys_hash ON api_keys (hash);
CREATE INDEX api_keys_account ON api_keys (account_id, id DESC);

-- State of a key's sliding window, kept by admit.sql. A table of its own because every request rewrites the row:
-- narrow rows on half-filled pages are updated in place, without touching an index.
CREATE TABLE api_key_windows (
  key_id text COLLATE "C" PRIMARY KEY REFERENCES api_keys,
  -- Number of the oldest accepted request that was still in the window, and of the newest.
  first_n bigint NOT NULL DEFAULT 1,
  last_n bigint NOT NULL DEFAULT 0,
  last_at timestamptz,
  -- End of the UTC month of the last request, and the number of the first request in that month (begin_month.sql).
  month_end timestamptz NOT NULL DEFAULT '-infinity',
  month_first_n bigint NOT NULL DEFAULT 1
) WITH (fillfactor = 50);

-- Accepted requests, numbered without gaps per key. Rows that left the window are deleted by later requests.
CREATE TABLE api_key_hits (
  key_id text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  at timestamptz NOT NULL,
  -- The row stands for the requests n to n + requests - 1, which were accepted together.
  requests int NOT NULL DEFAULT 1,
  PRIMARY KEY (key_id, n)
);

-- Requests by hour, for the dashboard's charts. Each process counts in memory and adds its counts every 2 s, so a
-- crash may lose the last ones. Usage and limits have exact counts of their own.
CREATE TABLE request_hours (
  account_id text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  -- Start of the hour.
  hour timestamptz NOT NULL,
  accepted bigint NOT NULL DEFAULT 0,
  -- Requests that got a 429.
  refused bigint NOT NULL DEFAULT 0,
  -- Failed requests of keys and users; failed_requests has the first of them.
  failed bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, mode, hour)
) WITH (fillfactor = 50);
-- Retention deletes old rows.
CREATE INDEX request_hours_age ON request_hours (hour);

-- The request log: failed requests of API keys and users, without their bodies, queries and headers. Written with
-- request_hours, which limits how many there are in an hour. Retention deletes old rows by their ids.
CREATE TABLE failed_requests (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  -- The X-Request-Id of the response.
  request_id text COLLATE "C" NOT NULL,
  method text NOT NULL,
  -- The path with names of parameters; NULL for an unknown path.
  route text,
  path text NOT NULL,
  status int NOT NULL,
  -- Code and message of the response.
  error text NOT NULL,
  message text NOT NULL,
  actor_type text NOT NULL,
  actor_id text COLLATE "C" NOT NULL,
  actor_name text NOT NULL,
  address text NOT NULL,
  duration_ms int NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX failed_requests_tenant ON failed_requests (account_id, mode, id DESC);
CREATE INDEX failed_requests_request ON failed_requests (account_id, request_id);

-- Responses to POST requests that carried an Idempotency-Key, each written in the transaction of its request. Kept
-- for 24 hours.
CREATE TABLE idempotent_requests (
  key_id text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  -- SHA-256 of method, path and body.
  fingerprint bytea NOT NULL,
  -- Both are NULL only while the transaction runs, when no other one sees the row.
  status int,
  -- The response's JSON without its secret members.
  data text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (key_id, idempotency_key)
);
-- Rows past their 24 hours are replaced by the next request with their key, or deleted by the retention.
CREATE INDEX idempotent_requests_age ON idempotent_requests (created_at);

-- Usage ---------------------------------------------------------------------------------------------------------------

-- Live usage of an account in a UTC month. Counters and not counts of rows, so that retention does not change them.
-- A month has several rows, and its usage is their sum: row 0 is locked while a generation is taken from the quota
-- (take_generation.sql), so that the quota is exact; the others let transactions count at the same time without
-- waiting (count_usage.sql).
CREATE TABLE monthly_usage (
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  -- First day of the month.
  month date NOT NULL,
  shard bigint GENERATED BY DEFAULT AS IDENTITY,
  -- Negative in a row that counted more generations returned than taken.
  generations int NOT NULL DEFAULT 0,
  articles bigint NOT NULL DEFAULT 0,
  deliveries bigint NOT NULL DEFAULT 0,
  -- Of language models, as they report them.
  input_tokens bigint NOT NULL DEFAULT 0,
  output_tokens bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, month, shard)
) WITH (fillfactor = 50);

-- Content -------------------------------------------------------------------------------------------------------------

CREATE TABLE projects (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  name text NOT NULL,
  domain text,
  language text NOT NULL,
  -- Which hosts of search results belong to `domain`.
  domain_match text NOT NULL DEFAULT 'domain' CHECK (domain_match IN ('domain', 'subdomains', 'host')),
  -- When its tracked keywords are checked: at a fixed hour of this IANA time zone.
  rank_schedule text NOT NULL DEFAULT 'daily' CHECK (rank_schedule IN ('daily', 'weekly', 'off')),
  time_zone text NOT NULL DEFAULT 'UTC',
  rank_due_at timestamptz DEFAULT now(),
  -- Start of the latest scheduled run that includes the project.
  rank_run_at timestamptz,
  -- A keyword with a ranking since then is not checked again: runs that ended early are repeated. NULL otherwise.
  rank_from timestamptz,
  -- How to write for it: voice, what to do and what not to do.
  style_guide text,
  -- Defaults of the briefs of its generations.
  brief jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Set by DELETE: hidden at once with all its records, which a job in the worker then removes.
  deleted_at timestamptz
);
CREATE INDEX projects_tenant ON projects (account_id, mode, id DESC);
-- The scheduled rank tracking.
CREATE INDEX projects_rank_due ON projects (rank_due_at)
  WHERE mode = 'live' AND deleted_at IS NULL AND domain IS NOT NULL AND rank_schedule <> 'off';
-- The job that removes deleted projects.
CREATE INDEX projects_deleted ON projects (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE keywords (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  project_id text COLLATE "C" NOT NULL REFERENCES projects,
  keyword text NOT NULL,
  -- The keyword in lower case, computed by Arden: the result of PostgreSQL's lower() depends on the locale.
  folded text NOT NULL,
  tracked boolean NOT NULL,
  country text NOT NULL,
  device text NOT NULL CHECK (device IN ('desktop', 'mobile')),
  -- Position of the latest ranking by checked_at; NULL also when the site was not found.
  latest_position int,
  -- How many positions better than in the ranking before, where "not found" counts as 101; NULL with less than two rankings.
  position_change int,
  -- Time of the latest ranking; NULL before the first.
  latest_checked_at timestamptz,
  tags text[] NOT NULL DEFAULT '{}',
  -- Start of the rank-tracking run that recorded the latest ranking.
  rank_run_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Set by DELETE: hidden at once, removed when no record refers to it any more.
  deleted_at timestamptz
);
-- A search is one keyword, whatever its case, in one country on one device.
CREATE UNIQUE INDEX keywords_unique ON keywords (project_id, folded, country, device) WHERE deleted_at IS NULL;
CREATE INDEX keywords_project ON keywords (project_id, id DESC);
-- Lists by position and by change. Keywords that were not found come last.
CREATE INDEX keywords_position ON keywords (project_id, (coalesce(latest_position, 101)), id) WHERE deleted_at IS NULL;
CREATE INDEX keywords_change ON keywords (project_id, (coalesce(position_change, 0)), id) WHERE deleted_at IS NULL;
CREATE INDEX keywords_tags ON keywords USING gin (tags);
-- The job that removes deleted keywords.
CREATE INDEX keywords_deleted ON keywords (deleted_at) WHERE deleted_at IS NOT NULL;
-- The daily rank-tracking run.
CREATE INDEX keywords_ranked_daily ON keywords (id) WHERE tracked AND mode = 'live' AND deleted_at IS NULL;

CREATE TABLE rankings (
  id text COLLATE "C" PRIMARY KEY,
  keyword_id text COLLATE "C" NOT NULL REFERENCES keywords,
  -- NULL: not among the first 100.
  position int CHECK (position BETWEEN 1 AND 100),
  url text,
  -- In whole milliseconds, the precision of the API.
  checked_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX rankings_keyword ON rankings (keyword_id, checked_at DESC, id DESC);

-- The scheduled runs of the rank tracking, one row for each: `arden doctor` and the metrics show what a run did not check.
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
  -- Requests that the SERP provider charged, and their price in US dollars; NULL if that is unknown.
  searches int NOT NULL DEFAULT 0,
  cost_usd numeric(12, 6) DEFAULT 0,
  finished_at timestamptz,
  -- Why it ended before every keyword was checked.
  problem text
);

-- What a run of the rank tracking did for one project: a part of a scheduled run, or a run that a user requested, which
-- is a Temporal workflow of its own.
CREATE TABLE project_rank_runs (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  -- At most one each day and each hour, so that a deleted project takes them along.
  project_id text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
  origin text NOT NULL CHECK (origin IN ('schedule', 'manual')),
  status text NOT NULL CHECK (status IN ('QUEUED', 'RUNNING', 'COMPLETED', 'FAILED')),
  -- Start of the run, as in `rank_runs` and `keywords.rank_run_at`.
  run_at timestamptz,
  keywords int NOT NULL DEFAULT 0,
  ranked int NOT NULL DEFAULT 0,
  failed int NOT NULL DEFAULT 0,
  -- Requests that the SERP provider charged, and their price in US dollars; NULL if that is unknown.
  searches int NOT NULL DEFAULT 0,
  cost_usd numeric(12, 6) DEFAULT 0,
  error_code text,
  created_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  -- The outbox of requested runs, as in `generations`.
  run int NOT NULL DEFAULT 1,
  due_at timestamptz,
  check_at timestamptz
);
CREATE INDEX project_rank_runs_project ON project_rank_runs (project_id, id DESC);
CREATE INDEX project_rank_runs_open ON project_rank_runs (run_at) WHERE status = 'RUNNING';
-- At most one requested run of a project is open.
CREATE UNIQUE INDEX project_rank_runs_requested ON project_rank_runs (project_id)
  WHERE origin = 'manual' AND status IN ('QUEUED', 'RUNNING');
CREATE INDEX project_rank_runs_due ON project_rank_runs (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX project_rank_runs_check ON project_rank_runs (check_at) WHERE check_at IS NOT NULL;

CREATE TABLE articles (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  project_id text COLLATE "C" NOT NULL REFERENCES projects,
  keyword_id text COLLATE "C" REFERENCES keywords,
  title text NOT NULL,
  slug text NOT NULL,
  body text NOT NULL,
  meta_title text,
  meta_description text,
  status text NOT NULL CHECK (status IN ('DRAFT', 'PUBLISHED')),
  published_at timestamptz,
  -- When a worker publishes it, in whole milliseconds.
  scheduled_at timestamptz CHECK (scheduled_at IS NULL OR status = 'DRAFT'),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- The version of its text (title, body, meta_title, meta_description): its number, when it was begun, who wrote it
  -- ({type, id, name}), and which version it restored.
  version int NOT NULL DEFAULT 1,
  version_at timestamptz NOT NULL DEFAULT now(),
  version_by jsonb NOT NULL DEFAULT '{"type": "system", "id": "arden", "name": "Arden"}',
  restored_from int,
  -- Until then, saves of the same user change this version and make no other one. NULL when it is complete.
  version_open_until timestamptz
);
CREATE INDEX articles_tenant ON articles (account_id, mode, id DESC);
CREATE INDEX articles_project ON articles (project_id, id DESC);
CREATE INDEX articles_scheduled ON articles (scheduled_at) WHERE scheduled_at IS NOT NULL;
CREATE INDEX articles_keyword ON articles (keyword_id, id DESC) WHERE keyword_id IS NOT NULL;

-- Versions of an article that a later one replaced.
CREATE TABLE article_versions (
  article_id text COLLATE "C" NOT NULL REFERENCES articles ON DELETE CASCADE,
  version int NOT NULL,
  -- The fields that the next version changed. Only these are stored: the others are in a later row, or in the article.
  changed text[] NOT NULL,
  title text,
  body text,
  meta_title text,
  meta_description text,
  author jsonb NOT NULL,
  restored_from int,
  created_at timestamptz NOT NULL,
  replaced_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (article_id, version)
);
-- The retention.
CREATE INDEX article_versions_replaced ON article_versions (replaced_at);

-- Articles that are being written, or were. Each run is one Temporal workflow.
CREATE TABLE generations (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  project_id text COLLATE "C" NOT NULL REFERENCES projects,
  -- NULL once the keyword was deleted; `keyword` keeps its text.
  keyword_id text COLLATE "C" REFERENCES keywords ON DELETE SET NULL,
  keyword text NOT NULL,
  -- The brief, with the defaults of its project at that time. NULL leaves a choice to the writer.
  instructions text,
  audience text,
  tone text,
  -- Words.
  length int CHECK (length > 0),
  model text,
  review_outline boolean NOT NULL DEFAULT false,
  -- Checks without which it is FAILED.
  required_checks text[] NOT NULL DEFAULT '{}',
  -- The headings: of the brief, or of the first step, or of who approved them.
  outline text[],
  outline_approved_at timestamptz,
  status text NOT NULL DEFAULT 'QUEUED'
    CHECK (status IN ('QUEUED', 'RUNNING', 'AWAITING_APPROVAL', 'COMPLETED', 'FAILED', 'CANCELLED')),
  progress int NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
  -- No foreign key: the generation stays when its article is deleted.
  article_id text COLLATE "C",
  -- Of an article that is written anew: its version when the generation was queued.
  article_version int,
  -- Written by the offline provider, and not counted in the quota.
  offline_draft boolean NOT NULL DEFAULT false,
  error_code text,
  error_message text,
  -- 1 for the first workflow, incremented by a retry, and when Temporal has lost it.
  run int NOT NULL DEFAULT 1,
  started_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- When it was created, or retried the last time. The start of the transaction: the month in which it was taken from
  -- the quota.
  queued_at timestamptz NOT NULL DEFAULT now(),
  -- When a dispatcher starts its workflow, or cancels it where the status is CANCELLED; once claimed, the end of the
  -- claim's lease. NULL when Temporal needs no call.
  due_at timestamptz,
  -- When the sweep asks Temporal whether the workflow still exists.
  check_at timestamptz
) WITH (fillfactor = 70);
CREATE INDEX generations_tenant ON generations (account_id, mode, id DESC);
CREATE INDEX generations_project ON generations (project_id, id DESC);
CREATE INDEX generations_keyword ON generations (keyword_id, id DESC) WHERE keyword_id IS NOT NULL;
-- The outbox: what a dispatcher claims, and what the sweep checks.
CREATE INDEX generations_due ON generations (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX generations_check ON generations (check_at) WHERE check_at IS NOT NULL;

-- The steps of a generation. A finished one is never repeated: its result is here, not in Temporal.
CREATE TABLE generation_steps (
  generation_id text COLLATE "C" NOT NULL REFERENCES generations ON DELETE CASCADE,
  -- From 0, in the order of the article: outline, sections, assembly, metadata, checks.
  position int NOT NULL,
  kind text NOT NULL CHECK (kind IN ('outline', 'section', 'assembly', 'metadata', 'checks')),
  -- Of a section; NULL for the introduction.
  heading text,
  status text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED')),
  -- Failed responses of the provider. A call that ended with its worker is not counted.
  failures int NOT NULL DEFAULT 0,
  -- The error code of the provider after which it is requested again; NULL before one, and when it is finished.
  retried_after text,
  -- What has been written so far. NULL once the article has it.
  text text,
  -- The model that wrote it; NULL for the offline provider, and for a step that needs none.
  model text,
  -- The name and the version of the prompt, such as section@1.
  prompt_version text,
  input_tokens int,
  output_tokens int,
  -- US dollars, by the price of the model; NULL where that is not known.
  cost_usd double precision,
  started_at timestamptz,
  finished_at timestamptz,
  PRIMARY KEY (generation_id, position)
) WITH (fillfactor = 70);

-- Webhooks ------------------------------------------------------------------------------------------------------------

CREATE TABLE webhooks (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  url text NOT NULL,
  events text[] NOT NULL,
  description text,
  enabled boolean NOT NULL DEFAULT true,
  disabled_reason text,
  -- While set, nothing is sent to this webhook; due deliveries wait.
  paused_at timestamptz,
  -- When the first delivery ended FAILED since the last one that was DELIVERED. Read it from webhook_states.sql.
  failing_since timestamptz,
  -- Deliveries are sent one at a time, in the order in which their events were committed.
  ordered boolean NOT NULL DEFAULT false,
  -- Sequence number of the latest event of an ordered webhook. The transaction that takes the next number holds the
  -- row until it commits, so that numbers are in commit order.
  last_sequence bigint NOT NULL DEFAULT 0,
  -- AES-256-GCM; the stored form names the encryption key.
  secret text NOT NULL,
  -- Also signs until previous_secret_until, after a rotation.
  previous_secret text,
  previous_secret_until timestamptz,
  -- Custom headers by name; each value is encrypted like a secret.
  headers jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);
CREATE INDEX webhooks_tenant ON webhooks (account_id, mode, id DESC) WHERE deleted_at IS NULL;

-- Webhooks whose last response took all of its time: one delivery at a time, until one is DELIVERED in less.
-- A table of its own because it is nearly always empty, and is written only when that changes.
CREATE TABLE slow_webhooks (
  webhook_id text COLLATE "C" PRIMARY KEY,
  since timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Webhooks that had a delivery DELIVERED while their row was locked, with their failing_since at that time: as long as
-- it is unchanged, it counts as NULL. Recording an outcome does not wait for a webhook's row, and must not lose that
-- the webhook works again. A row with another failing_since means nothing. Rows stay, at most one per webhook: deleting
-- them in the statement that records outcomes could deadlock.
CREATE TABLE recovered_webhooks (
  webhook_id text COLLATE "C" PRIMARY KEY,
  failing_since timestamptz NOT NULL
);

-- Events, deliveries and attempts have no foreign keys: they are written on the hot path, always by the statement that
-- also writes what they refer to, and are deleted together by retention.
CREATE TABLE events (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  type text NOT NULL,
  -- The envelope, byte for byte as it is signed and sent.
  body text NOT NULL,
  -- Commit order: a stream reads below pg_snapshot_xmin(pg_current_snapshot()), by (xid, id).
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  created_at timestamptz NOT NULL
) WITH (
  -- Also of the next two tables: a vacuum after each hundredth, which finds new pages in memory, and freezes them.
  -- The vacuum against wraparound then has nothing left to do.
  autovacuum_freeze_min_age = 0,
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000,
  autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.01, autovacuum_analyze_threshold = 10000
);
CREATE INDEX events_tenant ON events (account_id, mode, id DESC);
-- GET /events/stream.
CREATE INDEX events_stream ON events (account_id, mode, xid, id);

-- A delivery's id starts with the time part of its event's id, so that the deliveries of one event are a range of the
-- primary key and need no index on event_id. Each index on this table costs a write for each delivery.
CREATE TABLE deliveries (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  webhook_id text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  event_type text NOT NULL,
  -- Sent by POST /webhooks/<id>/test.
  test boolean NOT NULL DEFAULT false,
  status text NOT NULL CHECK (status IN ('RETRYING', 'DELIVERED', 'FAILED')),
  -- 1 for the first run, incremented by a redelivery or a restart. Each run is at most one Temporal workflow.
  run int NOT NULL DEFAULT 1,
  attempt_count int NOT NULL DEFAULT 0,
  -- The attempt count at which this run ends FAILED. A redelivery raises it.
  attempt_limit int NOT NULL,
  -- Of the last attempt.
  http_status int,
  response_body text,
  error text,
  next_attempt_at timestamptz,
  delivered_at timestamptz,
  created_at timestamptz NOT NULL,
  -- Position in the order of an ordered webhook. NULL for a test, a redelivery and a webhook that is not ordered.
  sequence bigint,
  -- It became final without a workflow.
  without_workflow boolean NOT NULL DEFAULT false,
  -- The first attempt, if it succeeded and is the only one, with http_status and response_body: nearly every delivery
  -- needs no row of `attempts`. Read both from all_attempts.
  attempt_id uuid,
  attempt_started_at timestamptz,
  attempt_duration_ms int,
  attempt_url text,
  attempt_signatures bytea,
  -- The index of failures finds them.
  CHECK (status <> 'FAILED' OR error IS NOT NULL)
) WITH (
  -- The rest of each page is for the results of its deliveries: a result is half as long again as what it replaces.
  fillfactor = 35,
  autovacuum_freeze_min_age = 0,
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000,
  autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.01, autovacuum_analyze_threshold = 10000
);
CREATE INDEX deliveries_tenant ON deliveries (account_id, mode, id DESC);
CREATE INDEX deliveries_webhook ON deliveries (webhook_id, id DESC);
-- Lists of deliveries that failed, which are few among many. No index has a column that the first success changes:
-- recording it is an update in place (HOT), in the part of each page that is kept free.
CREATE INDEX deliveries_failing ON deliveries (account_id, mode, id DESC) WHERE error IS NOT NULL;
-- All attempts but those that a delivery holds itself.
CREATE TABLE attempts (
  delivery_id text COLLATE "C" NOT NULL,
  number int NOT NULL,
  -- Chosen before sending, so that recording the same outcome twice is detected.
  id uuid NOT NULL,
  started_at timestamptz NOT NULL,
  duration_ms int NOT NULL,
  http_status int,
  error text,
  response_body text,
  -- What was sent, for users who look into a failure. Never the secret.
  request_url text NOT NULL,
  -- The HMACs of all signatures (src/webhooks/signing/headers.ts). The other headers follow from the record.
  signatures bytea NOT NULL,
  PRIMARY KEY (delivery_id, number)
) WITH (
  autovacuum_freeze_min_age = 0,
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000,
  autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.01, autovacuum_analyze_threshold = 10000
);

-- Processes -----------------------------------------------------------------------------------------------------------

-- Heartbeats of workers. From these `serve` knows whether deliveries are sent, and dispatchers how many attempts can
-- be made, without asking Temporal.
CREATE TABLE workers (
  id text PRIMARY KEY,
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Attempts that the worker makes at a time.
  slots int NOT NULL,
  -- What its settings name: 'live' and 'test', a language model for that mode; 'serp', a SERP provider.
  providers text[],
  -- Its language models without their keys: a list of {name, api, host, models}.
  language_models jsonb,
  -- The ids of the keys of its ARDEN_ENCRYPTION_KEY, which do not reveal them.
  encryption_keys text[],
  -- The attempts that wait because Temporal does not respond to the worker: 'all', or, where it makes first attempts
  -- itself, 'retries'. NULL while Temporal responds.
  temporal_away text CHECK (temporal_away IN ('all', 'retries'))
);

-- Tests of the language models that owners request. A worker makes them, because only workers have their settings.
-- Rows are deleted when they no longer count against the limit of their account.
CREATE TABLE provider_tests (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text NOT NULL,
  requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  started_at timestamptz,
  finished_at timestamptz,
  -- A list of {name, status, found, todo}, without the text of the provider.
  results jsonb
);

-- Lanes and dispatchers, which claim rows of delivery_queue. Each renews its lease every second.
CREATE TABLE claimers (
  id uuid PRIMARY KEY,
  -- 'attempts' or 'workflows': the rows that it claims, by their kind.
  work text NOT NULL,
  -- End of the lease: after that its rows may be claimed by others.
  until timestamptz NOT NULL
) WITH (fillfactor = 50);

-- The queue: a row for each delivery that is not final, deleted when it is. Rows are narrow, and a claim changes no
-- indexed column, so that it is an update in place (HOT). `deliveries` is the history and has no index for the queue.
CREATE TABLE delivery_queue (
  account_id text COLLATE "C" NOT NULL,
  webhook_id text COLLATE "C" NOT NULL,
  -- What is next, in the order in which a webhook gets it:
  --   0  start a workflow: the first attempt was made without one and failed
  --   1  the first attempt, in the order of an ordered webhook
  --   2  the first attempt, in no order
  --   3  the first attempt of a redelivery
  --   4  nothing: a workflow makes the attempts
  kind smallint NOT NULL,
  -- Number in the order of an ordered webhook; 0 for none.
  sequence bigint NOT NULL,
  delivery_id text COLLATE "C" NOT NULL,
  -- The transaction after which claimers have to look at the row: read_queue.sql.
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  -- Who works on it now.
  claimer uuid,
  -- Since when it waits; not changed by a claim.
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- When the sweep asks Temporal whether the workflow still exists. NULL while no workflow owns it.
  check_at timestamptz,
  PRIMARY KEY (account_id, webhook_id, kind, sequence, delivery_id)
) WITH (
  -- Half of each page is free for the updates of claims.
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000
);
CREATE INDEX delivery_queue_log ON delivery_queue (xid);
-- The newest deliveries of an ordered webhook, for lists. The primary key has the others in the order of their ids.
CREATE INDEX delivery_queue_newest ON delivery_queue (webhook_id, delivery_id) WHERE sequence > 0;
-- INCLUDE: attempts in progress are counted per webhook from the index alone.
CREATE INDEX delivery_queue_check ON delivery_queue (check_at) INCLUDE (webhook_id) WHERE check_at IS NOT NULL;
