-- Requests with API keys by hour, for charts: the limit itself forgets refused requests at once and accepted
-- ones after an hour. Each process counts for itself and adds what it has every few seconds, so a crash may
-- lose the last of them; usage and limits have counts of their own, which are exact.
CREATE TABLE request_hours (
  account_id text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  -- Its beginning.
  hour timestamptz NOT NULL,
  accepted bigint NOT NULL DEFAULT 0,
  -- Answered 429.
  refused bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, mode, hour)
) WITH (fillfactor = 50);
CREATE INDEX request_hours_age ON request_hours (hour);

-- Since when starts need the present encryption key. Where there is one already it is not known: it is no
-- older than the first account.
ALTER TABLE deployment ADD COLUMN encryption_key_since timestamptz;
UPDATE deployment SET encryption_key_since = (SELECT min(created_at) FROM accounts)
WHERE encryption_canary IS NOT NULL;
