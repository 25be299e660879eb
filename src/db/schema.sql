-- The full schema in one place, to read and not to run. Written by `bun run schema` from what `arden migrate` makes.
-- Why a column or an index exists is in migrations/, and what a function does in functions/.

TABLE accounts (
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  monthly_generations integer DEFAULT 100 NOT NULL,
  required_sign_in text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT accounts_pkey PRIMARY KEY (id),
  CONSTRAINT accounts_monthly_generations_check CHECK ((monthly_generations >= 0)),
  CONSTRAINT accounts_required_sign_in_check CHECK ((required_sign_in = ANY (ARRAY['oidc'::text, 'passkey'::text])))
);

TABLE api_key_hits (
  key_id text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  at timestamp with time zone NOT NULL,
  requests integer DEFAULT 1 NOT NULL,
  CONSTRAINT api_key_hits_pkey PRIMARY KEY (key_id, n)
);

TABLE api_key_windows (
  key_id text COLLATE "C" NOT NULL,
  first_n bigint DEFAULT 1 NOT NULL,
  last_n bigint DEFAULT 0 NOT NULL,
  last_at timestamp with time zone,
  month_end timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  month_first_n bigint DEFAULT 1 NOT NULL,
  CONSTRAINT api_key_windows_pkey PRIMARY KEY (key_id),
  CONSTRAINT api_key_windows_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id)
) WITH (fillfactor=50);
CREATE TRIGGER begin_month BEFORE UPDATE OF last_n ON api_key_windows FOR EACH ROW WHEN ((new.last_at >= old.month_end)) EXECUTE FUNCTION begin_month();

TABLE api_keys (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  scopes text[] NOT NULL,
  mode text NOT NULL,
  hash bytea NOT NULL,
  prefix text NOT NULL,
  rate_limit integer NOT NULL,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  CONSTRAINT api_keys_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  CONSTRAINT api_keys_rate_limit_check CHECK (((rate_limit >= 1) AND (rate_limit <= 100000)))
);
CREATE INDEX api_keys_account ON api_keys USING btree (account_id, id DESC);
CREATE UNIQUE INDEX api_keys_hash ON api_keys USING btree (hash);

TABLE applied_functions (
  name text NOT NULL,
  checksum text NOT NULL,
  position integer NOT NULL,
  generation integer NOT NULL,
  applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT applied_functions_pkey PRIMARY KEY (name)
);

TABLE article_versions (
  article_id text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  changed text[] NOT NULL,
  title text,
  body text,
  meta_title text,
  meta_description text,
  author jsonb NOT NULL,
  restored_from integer,
  created_at timestamp with time zone NOT NULL,
  replaced_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT article_versions_pkey PRIMARY KEY (article_id, version),
  CONSTRAINT article_versions_article_id_fkey FOREIGN KEY (article_id) REFERENCES articles(id) ON DELETE CASCADE
);
CREATE INDEX article_versions_replaced ON article_versions USING btree (replaced_at);

TABLE articles (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  keyword_id text COLLATE "C",
  title text NOT NULL,
  slug text NOT NULL,
  body text NOT NULL,
  meta_title text,
  meta_description text,
  status text NOT NULL,
  published_at timestamp with time zone,
  scheduled_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  version_at timestamp with time zone DEFAULT now() NOT NULL,
  version_by jsonb DEFAULT '{"id": "arden", "name": "Arden", "type": "system"}'::jsonb NOT NULL,
  restored_from integer,
  version_open_until timestamp with time zone,
  CONSTRAINT articles_pkey PRIMARY KEY (id),
  CONSTRAINT articles_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  CONSTRAINT articles_keyword_id_fkey FOREIGN KEY (keyword_id) REFERENCES keywords(id),
  CONSTRAINT articles_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  CONSTRAINT articles_check CHECK (((scheduled_at IS NULL) OR (status = 'DRAFT'::text))),
  CONSTRAINT articles_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  CONSTRAINT articles_status_check CHECK ((status = ANY (ARRAY['DRAFT'::text, 'PUBLISHED'::text])))
);
CREATE INDEX articles_keyword ON articles USING btree (keyword_id, id DESC) WHERE (keyword_id IS NOT NULL);
CREATE INDEX articles_project ON articles USING btree (project_id, id DESC);
CREATE INDEX articles_scheduled ON articles USING btree (scheduled_at) WHERE (scheduled_at IS NOT NULL);
CREATE INDEX articles_tenant ON articles USING btree (account_id, mode, id DESC);

TABLE attempts (
  delivery_id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  id uuid NOT NULL,
  started_at timestamp with time zone NOT NULL,
  duration_ms integer NOT NULL,
  http_status integer,
  error text,
  response_body text,
  request_url text NOT NULL,
  signatures bytea NOT NULL,
  CONSTRAINT attempts_pkey PRIMARY KEY (delivery_id, number)
) WITH (autovacuum_freeze_min_age=0, autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=10000, autovacuum_vacuum_insert_scale_factor=0.01, autovacuum_vacuum_insert_threshold=10000, autovacuum_analyze_scale_factor=0.01, autovacuum_analyze_threshold=10000);

TABLE audit_entries (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  action text NOT NULL,
  subject_id text COLLATE "C" NOT NULL,
  actor_type text NOT NULL,
  actor_id text NOT NULL,
  actor_name text NOT NULL,
  address text,
  changes jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT audit_entries_pkey PRIMARY KEY (id),
  CONSTRAINT audit_entries_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  CONSTRAINT audit_entries_actor_type_check CHECK ((actor_type = ANY (ARRAY['key'::text, 'user'::text, 'cli'::text, 'system'::text])))
);
CREATE INDEX audit_entries_account ON audit_entries USING btree (account_id, id DESC);
CREATE INDEX audit_entries_at ON audit_entries USING btree (account_id, at);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();

TABLE claimers (
  id uuid NOT NULL,
  work text NOT NULL,
  until timestamp with time zone NOT NULL,
  CONSTRAINT claimers_pkey PRIMARY KEY (id)
) WITH (fillfactor=50);

TABLE cli_sign_ins (
  challenge bytea NOT NULL,
  person_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  mode text NOT NULL,
  scopes text[] NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT cli_sign_ins_pkey PRIMARY KEY (challenge),
  CONSTRAINT cli_sign_ins_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  CONSTRAINT cli_sign_ins_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text])))
);
CREATE INDEX cli_sign_ins_age ON cli_sign_ins USING btree (expires_at);

TABLE deliveries (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  webhook_id text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  event_type text NOT NULL,
  test boolean DEFAULT false NOT NULL,
  status text NOT NULL,
  run integer DEFAULT 1 NOT NULL,
  attempt_count integer DEFAULT 0 NOT NULL,
  attempt_limit integer NOT NULL,
  http_status integer,
  response_body text,
  error text,
  next_attempt_at timestamp with time zone,
  delivered_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  sequence bigint,
  without_workflow boolean DEFAULT false NOT NULL,
  attempt_id uuid,
  attempt_started_at timestamp with time zone,
  attempt_duration_ms integer,
  attempt_url text,
  attempt_signatures bytea,
  CONSTRAINT deliveries_pkey PRIMARY KEY (id),
  CONSTRAINT deliveries_check CHECK (((status <> 'FAILED'::text) OR (error IS NOT NULL))),
  CONSTRAINT deliveries_status_check CHECK ((status = ANY (ARRAY['RETRYING'::text, 'DELIVERED'::text, 'FAILED'::text])))
) WITH (fillfactor=35, autovacuum_freeze_min_age=0, autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=10000, autovacuum_vacuum_insert_scale_factor=0.01, autovacuum_vacuum_insert_threshold=10000, autovacuum_analyze_scale_factor=0.01, autovacuum_analyze_threshold=10000);
CREATE INDEX deliveries_failing ON deliveries USING btree (account_id, mode, id DESC) WHERE (error IS NOT NULL);
CREATE INDEX deliveries_tenant ON deliveries USING btree (account_id, mode, id DESC);
CREATE INDEX deliveries_webhook ON deliveries USING btree (webhook_id, id DESC);

TABLE delivery_queue (
  account_id text COLLATE "C" NOT NULL,
  webhook_id text COLLATE "C" NOT NULL,
  kind smallint NOT NULL,
  sequence bigint NOT NULL,
  delivery_id text COLLATE "C" NOT NULL,
  xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
  claimer uuid,
  due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  check_at timestamp with time zone,
  CONSTRAINT delivery_queue_pkey PRIMARY KEY (account_id, webhook_id, kind, sequence, delivery_id)
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=50000, autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=50000);
CREATE INDEX delivery_queue_check ON delivery_queue USING btree (check_at) INCLUDE (webhook_id) WHERE (check_at IS NOT NULL);
CREATE INDEX delivery_queue_log ON delivery_queue USING btree (xid);
CREATE INDEX delivery_queue_newest ON delivery_queue USING btree (webhook_id, delivery_id) WHERE (sequence > 0);

TABLE deployment (
  singleton boolean DEFAULT true NOT NULL,
  encryption_canary text,
  encryption_key_since timestamp with time zone,
  paused_at timestamp with time zone,
  pause_changed_at timestamp with time zone,
  CONSTRAINT deployment_pkey PRIMARY KEY (singleton),
  CONSTRAINT deployment_singleton_check CHECK (singleton)
);

TABLE events (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  type text NOT NULL,
  body text NOT NULL,
  xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT events_pkey PRIMARY KEY (id)
) WITH (autovacuum_freeze_min_age=0, autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=10000, autovacuum_vacuum_insert_scale_factor=0.01, autovacuum_vacuum_insert_threshold=10000, autovacuum_analyze_scale_factor=0.01, autovacuum_analyze_threshold=10000);
CREATE INDEX events_stream ON events USING btree (account_id, mode, xid, id);
CREATE INDEX events_tenant ON events USING btree (account_id, mode, id DESC);

TABLE failed_requests (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  method text NOT NULL,
  route text,
  path text NOT NULL,
  status integer NOT NULL,
  error text NOT NULL,
  message text NOT NULL,
  actor_type text NOT NULL,
  actor_id text COLLATE "C" NOT NULL,
  actor_name text NOT NULL,
  address text NOT NULL,
  duration_ms integer NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT failed_requests_pkey PRIMARY KEY (id)
);
CREATE INDEX failed_requests_request ON failed_requests USING btree (account_id, request_id);
CREATE INDEX failed_requests_tenant ON failed_requests USING btree (account_id, mode, id DESC);

TABLE generation_steps (
  generation_id text COLLATE "C" NOT NULL,
  position integer NOT NULL,
  kind text NOT NULL,
  heading text,
  status text DEFAULT 'PENDING'::text NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  retried_after text,
  text text,
  model text,
  prompt_version text,
  input_tokens integer,
  output_tokens integer,
  cost_usd double precision,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  CONSTRAINT generation_steps_pkey PRIMARY KEY (generation_id, "position"),
  CONSTRAINT generation_steps_generation_id_fkey FOREIGN KEY (generation_id) REFERENCES generations(id) ON DELETE CASCADE,
  CONSTRAINT generation_steps_kind_check CHECK ((kind = ANY (ARRAY['outline'::text, 'section'::text, 'assembly'::text, 'metadata'::text, 'checks'::text]))),
  CONSTRAINT generation_steps_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'RUNNING'::text, 'COMPLETED'::text, 'FAILED'::text])))
) WITH (fillfactor=70);

TABLE generations (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  keyword_id text COLLATE "C",
  keyword text NOT NULL,
  instructions text,
  audience text,
  tone text,
  length integer,
  model text,
  review_outline boolean DEFAULT false NOT NULL,
  required_checks text[] DEFAULT '{}'::text[] NOT NULL,
  outline text[],
  outline_approved_at timestamp with time zone,
  status text DEFAULT 'QUEUED'::text NOT NULL,
  progress integer DEFAULT 0 NOT NULL,
  article_id text COLLATE "C",
  article_version integer,
  offline_draft boolean DEFAULT false NOT NULL,
  error_code text,
  error_message text,
  run integer DEFAULT 1 NOT NULL,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  queued_at timestamp with time zone DEFAULT now() NOT NULL,
  due_at timestamp with time zone,
  check_at timestamp with time zone,
  CONSTRAINT generations_pkey PRIMARY KEY (id),
  CONSTRAINT generations_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  CONSTRAINT generations_keyword_id_fkey FOREIGN KEY (keyword_id) REFERENCES keywords(id) ON DELETE SET NULL,
  CONSTRAINT generations_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  CONSTRAINT generations_length_check CHECK ((length > 0)),
  CONSTRAINT generations_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  CONSTRAINT generations_progress_check CHECK (((progress >= 0) AND (progress <= 100))),
  CONSTRAINT generations_status_check CHECK ((status = ANY (ARRAY['QUEUED'::text, 'RUNNING'::text, 'AWAITING_APPROVAL'::text, 'COMPLETED'::text, 'FAILED'::text, 'CANCELLED'::text])))
) WITH (fillfactor=70);
CREATE INDEX generations_check ON generations USING btree (check_at) WHERE (check_at IS NOT NULL);
CREATE INDEX generations_due ON generations USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX generations_keyword ON generations USING btree (keyword_id, id DESC) WHERE (keyword_id IS NOT NULL);
CREATE INDEX generations_project ON generations USING btree (project_id, id DESC);
CREATE INDEX generations_tenant ON generations USING btree (account_id, mode, id DESC);

TABLE idempotent_requests (
  key_id text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,
  status integer,
  data text,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT idempotent_requests_pkey PRIMARY KEY (key_id, idempotency_key)
);
CREATE INDEX idempotent_requests_age ON idempotent_requests USING btree (created_at);

TABLE keywords (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  keyword text NOT NULL,
  folded text NOT NULL,
  tracked boolean NOT NULL,
  country text NOT NULL,
  device text NOT NULL,
  latest_position integer,
  position_change integer,
  latest_checked_at timestamp with time zone,
  tags text[] DEFAULT '{}'::text[] NOT NULL,
  rank_run_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  deleted_at timestamp with time zone,
  updated_at timestamp with time zone,
  CONSTRAINT keywords_pkey PRIMARY KEY (id),
  CONSTRAINT keywords_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  CONSTRAINT keywords_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  CONSTRAINT keywords_device_check CHECK ((device = ANY (ARRAY['desktop'::text, 'mobile'::text]))),
  CONSTRAINT keywords_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text])))
);
CREATE INDEX keywords_change ON keywords USING btree (project_id, COALESCE(position_change, 0), id) WHERE (deleted_at IS NULL);
CREATE INDEX keywords_deleted ON keywords USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX keywords_position ON keywords USING btree (project_id, COALESCE(latest_position, 101), id) WHERE (deleted_at IS NULL);
CREATE INDEX keywords_project ON keywords USING btree (project_id, id DESC);
CREATE INDEX keywords_ranked_daily ON keywords USING btree (id) WHERE (tracked AND (mode = 'live'::text) AND (deleted_at IS NULL));
CREATE INDEX keywords_tags ON keywords USING gin (tags);
CREATE UNIQUE INDEX keywords_unique ON keywords USING btree (project_id, folded, country, device) WHERE (deleted_at IS NULL);

TABLE mails (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text NOT NULL,
  recipient text NOT NULL,
  link_id text COLLATE "C",
  data jsonb NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  error text,
  due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT mails_pkey PRIMARY KEY (id),
  CONSTRAINT mails_link_id_fkey FOREIGN KEY (link_id) REFERENCES sign_in_links(id) ON DELETE CASCADE
);
CREATE INDEX mails_due ON mails USING btree (due_at);
CREATE INDEX mails_link ON mails USING btree (link_id);

TABLE migrations (
  version integer NOT NULL,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT migrations_pkey PRIMARY KEY (version)
);

TABLE monthly_usage (
  account_id text COLLATE "C" NOT NULL,
  month date NOT NULL,
  shard bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL,
  generations integer DEFAULT 0 NOT NULL,
  articles bigint DEFAULT 0 NOT NULL,
  deliveries bigint DEFAULT 0 NOT NULL,
  input_tokens bigint DEFAULT 0 NOT NULL,
  output_tokens bigint DEFAULT 0 NOT NULL,
  CONSTRAINT monthly_usage_pkey PRIMARY KEY (account_id, month, shard),
  CONSTRAINT monthly_usage_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
) WITH (fillfactor=50);

TABLE passkey_challenges (
  challenge text COLLATE "C" NOT NULL,
  person_id text COLLATE "C",
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT passkey_challenges_pkey PRIMARY KEY (challenge),
  CONSTRAINT passkey_challenges_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);
CREATE INDEX passkey_challenges_age ON passkey_challenges USING btree (expires_at);

TABLE passkeys (
  id text COLLATE "C" NOT NULL,
  person_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  credential_id text COLLATE "C" NOT NULL,
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT passkeys_pkey PRIMARY KEY (id),
  CONSTRAINT passkeys_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);
CREATE UNIQUE INDEX passkeys_credential ON passkeys USING btree (credential_id);
CREATE INDEX passkeys_person ON passkeys USING btree (person_id, id DESC);

TABLE people (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  email text NOT NULL,
  role text NOT NULL,
  password text,
  disabled_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT people_pkey PRIMARY KEY (id),
  CONSTRAINT people_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  CONSTRAINT people_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text, 'viewer'::text])))
);
CREATE INDEX people_account ON people USING btree (account_id, id DESC);
CREATE UNIQUE INDEX people_email ON people USING btree (email);

TABLE person_identities (
  issuer text NOT NULL,
  subject text NOT NULL,
  person_id text COLLATE "C" NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT person_identities_pkey PRIMARY KEY (issuer, subject),
  CONSTRAINT person_identities_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);
CREATE UNIQUE INDEX person_identities_person ON person_identities USING btree (person_id, issuer);

TABLE person_windows (
  person_id text COLLATE "C" NOT NULL,
  began_at timestamp with time zone NOT NULL,
  requests integer NOT NULL,
  CONSTRAINT person_windows_pkey PRIMARY KEY (person_id),
  CONSTRAINT person_windows_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
) WITH (fillfactor=50);

TABLE project_rank_runs (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  origin text NOT NULL,
  status text NOT NULL,
  run_at timestamp with time zone,
  keywords integer DEFAULT 0 NOT NULL,
  ranked integer DEFAULT 0 NOT NULL,
  failed integer DEFAULT 0 NOT NULL,
  searches integer DEFAULT 0 NOT NULL,
  cost_usd numeric(12,6) DEFAULT 0,
  error_code text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  finished_at timestamp with time zone,
  run integer DEFAULT 1 NOT NULL,
  due_at timestamp with time zone,
  check_at timestamp with time zone,
  CONSTRAINT project_rank_runs_pkey PRIMARY KEY (id),
  CONSTRAINT project_rank_runs_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  CONSTRAINT project_rank_runs_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
  CONSTRAINT project_rank_runs_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  CONSTRAINT project_rank_runs_origin_check CHECK ((origin = ANY (ARRAY['schedule'::text, 'manual'::text]))),
  CONSTRAINT project_rank_runs_status_check CHECK ((status = ANY (ARRAY['QUEUED'::text, 'RUNNING'::text, 'COMPLETED'::text, 'FAILED'::text])))
);
CREATE INDEX project_rank_runs_check ON project_rank_runs USING btree (check_at) WHERE (check_at IS NOT NULL);
CREATE INDEX project_rank_runs_due ON project_rank_runs USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX project_rank_runs_open ON project_rank_runs USING btree (run_at) WHERE (status = 'RUNNING'::text);
CREATE INDEX project_rank_runs_project ON project_rank_runs USING btree (project_id, id DESC);
CREATE UNIQUE INDEX project_rank_runs_requested ON project_rank_runs USING btree (project_id) WHERE ((origin = 'manual'::text) AND (status = ANY (ARRAY['QUEUED'::text, 'RUNNING'::text])));

TABLE projects (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  name text NOT NULL,
  domain text,
  language text NOT NULL,
  domain_match text DEFAULT 'domain'::text NOT NULL,
  rank_schedule text DEFAULT 'daily'::text NOT NULL,
  time_zone text DEFAULT 'UTC'::text NOT NULL,
  rank_due_at timestamp with time zone DEFAULT now(),
  rank_run_at timestamp with time zone,
  rank_from timestamp with time zone,
  style_guide text,
  brief jsonb DEFAULT '{}'::jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  deleted_at timestamp with time zone,
  updated_at timestamp with time zone,
  CONSTRAINT projects_pkey PRIMARY KEY (id),
  CONSTRAINT projects_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  CONSTRAINT projects_domain_match_check CHECK ((domain_match = ANY (ARRAY['domain'::text, 'subdomains'::text, 'host'::text]))),
  CONSTRAINT projects_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  CONSTRAINT projects_rank_schedule_check CHECK ((rank_schedule = ANY (ARRAY['daily'::text, 'weekly'::text, 'off'::text])))
);
CREATE INDEX projects_deleted ON projects USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX projects_rank_due ON projects USING btree (rank_due_at) WHERE ((mode = 'live'::text) AND (deleted_at IS NULL) AND (domain IS NOT NULL) AND (rank_schedule <> 'off'::text));
CREATE INDEX projects_tenant ON projects USING btree (account_id, mode, id DESC);

TABLE provider_tests (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id text NOT NULL,
  requested_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  results jsonb,
  CONSTRAINT provider_tests_pkey PRIMARY KEY (id)
);

TABLE rank_runs (
  started_at timestamp with time zone NOT NULL,
  keywords integer NOT NULL,
  missed_days integer DEFAULT 0 NOT NULL,
  ranked integer DEFAULT 0 NOT NULL,
  failed integer DEFAULT 0 NOT NULL,
  unranked integer DEFAULT 0 NOT NULL,
  searches integer DEFAULT 0 NOT NULL,
  cost_usd numeric(12,6) DEFAULT 0,
  finished_at timestamp with time zone,
  problem text,
  CONSTRAINT rank_runs_pkey PRIMARY KEY (started_at)
);

TABLE rankings (
  id text COLLATE "C" NOT NULL,
  keyword_id text COLLATE "C" NOT NULL,
  position integer,
  url text,
  checked_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT rankings_pkey PRIMARY KEY (id),
  CONSTRAINT rankings_keyword_id_fkey FOREIGN KEY (keyword_id) REFERENCES keywords(id),
  CONSTRAINT rankings_position_check CHECK ((("position" >= 1) AND ("position" <= 100)))
);
CREATE INDEX rankings_keyword ON rankings USING btree (keyword_id, checked_at DESC, id DESC);

TABLE recovered_webhooks (
  webhook_id text COLLATE "C" NOT NULL,
  failing_since timestamp with time zone NOT NULL,
  CONSTRAINT recovered_webhooks_pkey PRIMARY KEY (webhook_id)
);

TABLE request_hours (
  account_id text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  hour timestamp with time zone NOT NULL,
  accepted bigint DEFAULT 0 NOT NULL,
  refused bigint DEFAULT 0 NOT NULL,
  failed bigint DEFAULT 0 NOT NULL,
  CONSTRAINT request_hours_pkey PRIMARY KEY (account_id, mode, hour)
) WITH (fillfactor=50);
CREATE INDEX request_hours_age ON request_hours USING btree (hour);

TABLE sessions (
  id text COLLATE "C" NOT NULL,
  person_id text COLLATE "C" NOT NULL,
  hash bytea NOT NULL,
  method text NOT NULL,
  address text NOT NULL,
  user_agent text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  seen_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  CONSTRAINT sessions_method_check CHECK ((method = ANY (ARRAY['password'::text, 'link'::text, 'oidc'::text, 'passkey'::text])))
);
CREATE UNIQUE INDEX sessions_hash ON sessions USING btree (hash);
CREATE INDEX sessions_person ON sessions USING btree (person_id, id DESC);

TABLE sign_in_links (
  id text COLLATE "C" NOT NULL,
  hash bytea NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  creator_type text NOT NULL,
  creator_id text COLLATE "C" NOT NULL,
  creator_name text NOT NULL,
  person_id text COLLATE "C",
  role text,
  email text,
  purpose text NOT NULL,
  email_error text,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT sign_in_links_pkey PRIMARY KEY (id),
  CONSTRAINT sign_in_links_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  CONSTRAINT sign_in_links_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  CONSTRAINT sign_in_links_check CHECK (((person_id IS NULL) <> (role IS NULL))),
  CONSTRAINT sign_in_links_purpose_check CHECK ((purpose = ANY (ARRAY['invitation'::text, 'reset'::text, 'dev'::text]))),
  CONSTRAINT sign_in_links_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text, 'viewer'::text])))
);
CREATE INDEX sign_in_links_account ON sign_in_links USING btree (account_id, id DESC);
CREATE INDEX sign_in_links_email ON sign_in_links USING btree (email) WHERE (email IS NOT NULL);
CREATE UNIQUE INDEX sign_in_links_hash ON sign_in_links USING btree (hash);
CREATE INDEX sign_in_links_person ON sign_in_links USING btree (person_id);

TABLE sign_in_tries (
  subject text COLLATE "C" NOT NULL,
  count integer NOT NULL,
  since timestamp with time zone NOT NULL,
  CONSTRAINT sign_in_tries_pkey PRIMARY KEY (subject)
);
CREATE INDEX sign_in_tries_age ON sign_in_tries USING btree (since);

TABLE slow_webhooks (
  webhook_id text COLLATE "C" NOT NULL,
  since timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT slow_webhooks_pkey PRIMARY KEY (webhook_id)
);

TABLE webhooks (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  url text NOT NULL,
  events text[] NOT NULL,
  description text,
  enabled boolean DEFAULT true NOT NULL,
  disabled_reason text,
  paused_at timestamp with time zone,
  failing_since timestamp with time zone,
  ordered boolean DEFAULT false NOT NULL,
  last_sequence bigint DEFAULT 0 NOT NULL,
  secret text NOT NULL,
  previous_secret text,
  previous_secret_until timestamp with time zone,
  headers jsonb DEFAULT '{}'::jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  deleted_at timestamp with time zone,
  updated_at timestamp with time zone,
  CONSTRAINT webhooks_pkey PRIMARY KEY (id),
  CONSTRAINT webhooks_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  CONSTRAINT webhooks_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text])))
);
CREATE INDEX webhooks_tenant ON webhooks USING btree (account_id, mode, id DESC) WHERE (deleted_at IS NULL);

TABLE workers (
  id text NOT NULL,
  seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  slots integer NOT NULL,
  providers text[],
  language_models jsonb,
  encryption_keys text[],
  temporal_away text,
  CONSTRAINT workers_pkey PRIMARY KEY (id),
  CONSTRAINT workers_temporal_away_check CHECK ((temporal_away = ANY (ARRAY['all'::text, 'retries'::text])))
);

VIEW all_attempts (
  delivery_id text COLLATE "C",
  number integer,
  id uuid,
  started_at timestamp with time zone,
  duration_ms integer,
  http_status integer,
  error text,
  response_body text,
  request_url text,
  signatures bytea
);

VIEW deliveries_to_send (
  id text COLLATE "C",
  account_id text COLLATE "C",
  mode text,
  run integer,
  status text,
  attempt_count integer,
  attempt_limit integer,
  http_status integer,
  error text,
  next_attempt_at timestamp with time zone,
  test boolean,
  event_type text,
  event_id text COLLATE "C",
  body text,
  webhook_id text COLLATE "C",
  url text,
  enabled boolean,
  ordered boolean,
  deleted boolean,
  paused boolean,
  failing boolean,
  secret text,
  previous_secret text,
  previous_secret_until timestamp with time zone,
  headers jsonb
);

VIEW webhook_states (
  id text COLLATE "C",
  account_id text COLLATE "C",
  mode text,
  url text,
  enabled boolean,
  ordered boolean,
  deleted boolean,
  paused boolean,
  failing_since timestamp with time zone,
  secret text,
  previous_secret text,
  previous_secret_until timestamp with time zone,
  headers jsonb
);

FUNCTION admit(hashes text[], counts integer[], window_length interval)
  RETURNS TABLE(index integer, key_id text, key_name text, account_id text, mode text, scopes text[], status text, rate_limit integer, accepted integer, free integer, free_in integer)
  LANGUAGE plpgsql VOLATILE
  SET plan_cache_mode=force_generic_plan
  SET enable_seqscan=off
  SET enable_bitmapscan=off
  SET jit=off;

FUNCTION audit_is_append_only()
  RETURNS trigger
  LANGUAGE plpgsql VOLATILE;

FUNCTION begin_month()
  RETURNS trigger
  LANGUAGE plpgsql VOLATILE;

FUNCTION claim_deliveries(claimer uuid, accounts text[], webhooks text[], kinds smallint[], sequences bigint[], ids text[], floors bigint[])
  RETURNS text
  LANGUAGE plpgsql VOLATILE
  SET plan_cache_mode=force_generic_plan
  SET enable_seqscan=off
  SET enable_bitmapscan=off
  SET jit=off;

FUNCTION count_person_request(person text, max_requests integer, window_length interval)
  RETURNS TABLE(accepted boolean, free integer, free_in integer)
  LANGUAGE plpgsql VOLATILE;

FUNCTION count_usage(account text, in_month date, generations integer, articles integer, deliveries integer, input_tokens bigint DEFAULT 0, output_tokens bigint DEFAULT 0)
  RETURNS void
  LANGUAGE plpgsql VOLATILE;

FUNCTION key_status(revoked_at timestamp with time zone, expires_at timestamp with time zone, at timestamp with time zone)
  RETURNS text
  LANGUAGE sql IMMUTABLE;

FUNCTION load_deliveries(ids text[])
  RETURNS SETOF deliveries_to_send
  LANGUAGE sql VOLATILE
  SET plan_cache_mode=force_generic_plan
  SET enable_seqscan=off
  SET enable_bitmapscan=off
  SET jit=off;

FUNCTION queued_deliveries(accounts text[], webhooks text[], kinds smallint[], sequences bigint[], ids text[], most integer)
  RETURNS text
  LANGUAGE sql VOLATILE
  SET plan_cache_mode=force_generic_plan
  SET enable_seqscan=off
  SET enable_bitmapscan=off
  SET jit=off;

FUNCTION queued_webhooks(after_account text, after_webhook text, after_kind smallint, most integer)
  RETURNS text
  LANGUAGE sql VOLATILE
  SET plan_cache_mode=force_generic_plan
  SET enable_seqscan=off
  SET enable_bitmapscan=off
  SET enable_sort=off
  SET jit=off;

FUNCTION read_queue(since pg_snapshot, kinds smallint[], most integer)
  RETURNS TABLE(snapshot pg_snapshot, is_summary boolean, rows text)
  LANGUAGE plpgsql VOLATILE
  SET plan_cache_mode=force_generic_plan
  SET enable_seqscan=off
  SET enable_bitmapscan=off
  SET jit=off;

FUNCTION record_attempts(ids text[], outcomes json, delays_ms double precision[], check_after interval, slow_ms integer, bodies_kept integer DEFAULT NULL::integer)
  RETURNS TABLE(id text, event_id text, webhook_id text, status text, attempt_count integer, attempt_limit integer, http_status integer, error text, wait_ms double precision)
  LANGUAGE plpgsql VOLATILE
  SET plan_cache_mode=force_generic_plan
  SET enable_seqscan=off
  SET enable_bitmapscan=off
  SET enable_hashjoin=off
  SET enable_mergejoin=off
  SET jit=off;

FUNCTION release_claimer(claimer uuid, heir uuid, kept text[])
  RETURNS void
  LANGUAGE plpgsql VOLATILE;

FUNCTION take_generation(account text)
  RETURNS TABLE(quota integer, taken boolean)
  LANGUAGE plpgsql VOLATILE;

FUNCTION usage_month(at timestamp with time zone)
  RETURNS date
  LANGUAGE sql IMMUTABLE;
