-- People who sign in to the dashboard. Their email addresses are kept folded, as they are compared.
CREATE TABLE people (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  email text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
  -- argon2id. NULL until the person has chosen a password.
  password text,
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX people_email ON people (email);
CREATE INDEX people_account ON people (account_id, id DESC);

-- Links that let someone in once. Of the token only its SHA-256 is kept: 256 random bits need no salt.
CREATE TABLE sign_in_links (
  hash bytea PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  -- NULL in an invitation without an email address: who uses it says theirs, and gets this role.
  person_id text COLLATE "C" REFERENCES people,
  role text CHECK (role IN ('owner', 'member', 'viewer')),
  -- 'invitation' asks for a new password, 'dev' does not.
  purpose text NOT NULL CHECK (purpose IN ('invitation', 'dev')),
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((person_id IS NULL) <> (role IS NULL))
);
CREATE INDEX sign_in_links_person ON sign_in_links (person_id);

CREATE TABLE sessions (
  id text COLLATE "C" PRIMARY KEY,
  person_id text COLLATE "C" NOT NULL REFERENCES people,
  -- SHA-256 of the cookie's token.
  hash bytea NOT NULL,
  address text NOT NULL,
  user_agent text,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- True to the minute.
  seen_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX sessions_hash ON sessions (hash);
CREATE INDEX sessions_person ON sessions (person_id, id DESC);

-- Passwords that were tried, counted before they are checked, for an email address and for where they came
-- from. Shared by all processes.
CREATE TABLE sign_in_tries (
  subject text COLLATE "C" PRIMARY KEY,
  count int NOT NULL,
  since timestamptz NOT NULL
);
CREATE INDEX sign_in_tries_age ON sign_in_tries (since);
