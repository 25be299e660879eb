-- Answers to POST requests that carried an Idempotency-Key, each written by the transaction it answers for.
-- Kept 24 hours; older ones are removed by the next ones.
CREATE TABLE idempotent_requests (
  key_id text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  -- SHA-256 of method, path and body.
  fingerprint bytea NOT NULL,
  -- Both NULL only while their transaction runs, when nobody else sees the row.
  status int,
  -- JSON, as it was answered, without secret members.
  data text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (key_id, idempotency_key)
);
CREATE INDEX idempotent_requests_age ON idempotent_requests (created_at);
