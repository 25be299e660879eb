-- Looks API keys up and counts requests against their rate limits: one round trip for all requests that wait.
--
--   hashes  SHA-256 of the key values, hexadecimal, each at most once
--   counts  counts[i] requests wait for the key hashes[i]
--   window_length
--           length of the sliding window
--
-- Returns: a row for each key that exists, with
--   index        its position in `hashes`, from 1
--   key_id, key_name, account_id, mode, scopes, rate_limit
--                the key's record
--   status       active, revoked or expired
--   accepted     how many of its waiting requests are accepted: the first ones
--   free         requests that were left before these
--   free_in      whole seconds until one more request is left
--
-- The window is exact. The accepted requests of a key are rows numbered without gaps, in order of time. Rows from
-- first_n on are inside the window; one that is a window old, to the microsecond, is outside. Requests that were
-- accepted together are one row and leave the window together; first_n is always the first number of a row.
--
-- Locks: the api_key_windows rows of the keys until the transaction ends, in the order of their ids. The lock is a
-- statement of its own: a statement that waited for a row lock reads all other tables as of before the wait, and two
-- processes would accept the same request.
-- Called by: createAdmit. Contract: 3.1 Authentication, 3.8 Rate limit.
CREATE OR REPLACE FUNCTION admit(hashes text[], counts int[], window_length interval)
RETURNS TABLE (
  index int, key_id text, key_name text, account_id text, mode text, scopes text[], status text,
  rate_limit int, accepted int, free int, free_in int
)
LANGUAGE plpgsql VOLATILE
-- A connection keeps its plans, and may have made them while the tables were empty. Collecting and sorting all hits of
-- a key looks cheap then: with 64,000 hits it took 10.7 ms, reading the first row of the index 0.03 ms.
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
-- Before PostgreSQL 18, a plan without sequential scans looks so expensive that it is compiled first.
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  requested bytea[] := ARRAY(
    SELECT decode(r.hash, 'hex') FROM unnest(hashes) WITH ORDINALITY AS r (hash, i) ORDER BY r.i
  );
  started timestamptz;
BEGIN
  -- A crash of PostgreSQL may lose the last second of hits. Nothing else is written here.
  PERFORM set_config('synchronous_commit', 'off', true);

  PERFORM 1
  FROM api_key_windows w
  WHERE w.key_id IN (SELECT k.id FROM api_keys k WHERE k.hash = ANY (requested))
  ORDER BY w.key_id
  FOR NO KEY UPDATE;

  started := clock_timestamp();

  RETURN QUERY
  WITH state AS (
    SELECT r.i, r.waiting, k.id, k.name, k.account_id, k.mode, k.scopes, k.rate_limit,
      key_status(k.revoked_at, k.expires_at, started) AS status,
      -- Never before the last hit, so that hits stay in order of time when a clock is set back.
      greatest(started, w.last_at) AS moment,
      w.first_n AS first_before, w.last_n,
      coalesce(oldest.n, w.last_n + 1) AS first_n, oldest.at AS oldest_at
    FROM unnest(requested, counts) WITH ORDINALITY AS r (hash, waiting, i)
    JOIN api_keys k ON k.hash = r.hash
    JOIN api_key_windows w ON w.key_id = k.id
    LEFT JOIN LATERAL (
      SELECT h.n, h.at
      FROM api_key_hits h
      WHERE h.key_id = k.id AND h.n >= w.first_n
        AND h.at > greatest(started, w.last_at) - window_length
      ORDER BY h.n
      LIMIT 1
    ) oldest ON true
  ),
  counted AS (
    SELECT *, greatest(0, s.rate_limit - (s.last_n + 1 - s.first_n))::int AS free FROM state s
  ),
  decided AS (
    SELECT *, CASE c.status WHEN 'active' THEN least(c.waiting, c.free) ELSE 0 END AS accepted
    FROM counted c
  ),
  moved AS (
    UPDATE api_key_windows w
    SET first_n = d.first_n,
      last_n = d.last_n + d.accepted,
      last_at = CASE WHEN d.accepted > 0 THEN d.moment ELSE w.last_at END
    FROM decided d
    WHERE w.key_id = d.id AND (d.accepted > 0 OR d.first_n > d.first_before)
  ),
  recorded AS (
    INSERT INTO api_key_hits (key_id, n, at, requests)
    SELECT d.id, d.last_n + 1, d.moment, d.accepted FROM decided d WHERE d.accepted > 0
  ),
  -- Hits outside the window are deleted once per 128 requests, at most 1,024 numbers at a time, so that no request
  -- waits long for it.
  deleted AS (
    DELETE FROM api_key_hits h
    USING decided d
    WHERE h.key_id = d.id AND d.first_n / 128 > d.first_before / 128
      AND h.n < least(d.first_n, 1024 + (SELECT min(o.n) FROM api_key_hits o WHERE o.key_id = d.id))
  )
  SELECT d.i::int, d.id, d.name, d.account_id, d.mode, d.scopes, d.status, d.rate_limit, d.accepted, d.free,
    ceil(extract(epoch FROM (
      CASE
        -- After the limit was lowered, more than the oldest hit must leave before one more request is left.
        WHEN d.last_n + 1 - d.first_n > d.rate_limit THEN (
          SELECT h.at FROM api_key_hits h
          WHERE h.key_id = d.id AND h.n <= d.last_n - d.rate_limit + 1
          ORDER BY h.n DESC LIMIT 1
        )
        ELSE coalesce(d.oldest_at, d.moment)
      END
    ) + window_length - d.moment))::int
  FROM decided d;
END $$;
