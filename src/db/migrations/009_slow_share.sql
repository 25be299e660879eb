-- However many webhooks are slow, together they leave most slots to the others. The rest of the function is as
-- in 008_fair.sql.

-- Claims up to `batch` due deliveries until `lease` from now, the next in turn first (design, "Fair to
-- neighbours"). `look_ahead`: a delivery whose check_at is nearer than this has an attempt under way now;
-- with one that is further away, the workflow waits for its next attempt, which costs nobody anything.
--
-- Of what is still free of a quarter of all slots, each webhook may take half; at least one at a time.
-- So one alone gets 166 of 2,000 slots, and 200 that never answer get two or three each: however many
-- there are, they leave most of the slots free, for their retries too, which are not held back here.
--
-- A slow webhook gets one at a time, and all of them together an eighth of all slots: else as many of them as
-- there are slots would fill every one, one each.
--
-- A webhook's turn comes by what it has under way: one with nothing under way goes before all that have
-- something, and of those that are equal the one with the least waiting.
--
-- Claims take turns. The lock is taken by a statement of its own, so that the next one sees what the claims
-- before it took. Any constant will do, other than that of the migrations.
CREATE OR REPLACE FUNCTION claim_deliveries(batch int, lease interval, look_ahead interval)
RETURNS TABLE (id text, run int, account_id text, webhook_id text, event_type text, url text)
LANGUAGE plpgsql VOLATILE
-- As in admit(): a plan made while the table was empty would read all of it once it is not.
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
DECLARE
  started timestamptz;
  slots_of_all bigint;
  share int;
  slow_room int;
BEGIN
  PERFORM pg_advisory_xact_lock(4170512);
  started := clock_timestamp();
  IF NOT EXISTS (SELECT FROM deliveries d WHERE d.due_at IS NOT NULL) THEN
    RETURN;
  END IF;

  SELECT coalesce(sum(w.slots), 2000) INTO slots_of_all
  FROM workers w WHERE w.seen_at > started - interval '15 seconds';

  SELECT greatest(1, (slots_of_all / 4 - count(*)) / 2) INTO share
  FROM deliveries d WHERE d.check_at <= started + look_ahead;

  SELECT greatest(1, slots_of_all / 8) - (
    SELECT count(*) FROM deliveries d
    WHERE d.check_at <= started + look_ahead AND d.webhook_id IN (SELECT s.webhook_id FROM slow_webhooks s)
  ) - (
    SELECT count(*) FROM slow_webhooks s JOIN deliveries d ON d.webhook_id = s.webhook_id
    WHERE d.due_at > started
  )
  INTO slow_room;

  RETURN QUERY
  WITH RECURSIVE walk (webhook_id, due_at) AS (
    (
      SELECT d.webhook_id, d.due_at FROM deliveries d
      WHERE d.due_at IS NOT NULL
      ORDER BY d.webhook_id, d.due_at LIMIT 1
    )
    UNION ALL
    SELECT next.webhook_id, next.due_at
    FROM walk CROSS JOIN LATERAL (
      SELECT d.webhook_id, d.due_at FROM deliveries d
      WHERE d.due_at IS NOT NULL AND d.webhook_id > walk.webhook_id
      ORDER BY d.webhook_id, d.due_at LIMIT 1
    ) next
  ),
  under_way AS MATERIALIZED (
    SELECT d.webhook_id, count(*) AS n FROM deliveries d
    WHERE d.check_at <= started + look_ahead
    GROUP BY d.webhook_id
  ),
  busy AS MATERIALIZED (
    SELECT walk.webhook_id, slow.webhook_id IS NOT NULL AS is_slow,
      CASE WHEN slow.webhook_id IS NULL THEN share ELSE 1 END AS cap,
      coalesce(u.n, 0) + (
        -- Claimed, and not handed over yet.
        SELECT count(*) FROM deliveries d WHERE d.webhook_id = walk.webhook_id AND d.due_at > started
      ) AS n
    FROM walk
    JOIN webhooks w ON w.id = walk.webhook_id AND w.paused_at IS NULL
    LEFT JOIN under_way u ON u.webhook_id = walk.webhook_id
    LEFT JOIN slow_webhooks slow ON slow.webhook_id = walk.webhook_id
    -- Neither is paused, as in webhooks/pause.ts.
    WHERE walk.due_at <= started
      AND NOT EXISTS (SELECT FROM deployment WHERE deployment.paused_at IS NOT NULL)
  ),
  candidate AS (
    SELECT d.id, d.due_at, busy.is_slow,
      busy.n + row_number() OVER (PARTITION BY d.webhook_id ORDER BY d.due_at) AS place,
      count(*) OVER (PARTITION BY d.webhook_id) AS waiting
    FROM busy CROSS JOIN LATERAL (
      SELECT d.id, d.webhook_id, d.due_at FROM deliveries d
      WHERE d.webhook_id = busy.webhook_id AND d.due_at <= started
      ORDER BY d.due_at
      -- Where many webhooks wait, two of each are enough to choose from.
      LIMIT least(busy.cap - busy.n, CASE
        WHEN (SELECT count(*) FROM busy o WHERE o.n < o.cap) >= batch THEN 2 ELSE batch
      END)
    ) d
    WHERE busy.n < busy.cap
  ),
  turn AS (
    SELECT c.id FROM (
      SELECT *, row_number() OVER (PARTITION BY c.is_slow ORDER BY c.due_at) AS nth FROM candidate c
    ) c
    WHERE NOT c.is_slow OR c.nth <= slow_room
    -- The slow ones take a tenth of a claim, and what nobody else wants.
    ORDER BY c.is_slow AND c.nth > greatest(1, batch / 10), c.place, c.waiting, c.due_at
    LIMIT batch
  ),
  due AS MATERIALIZED (
    SELECT d.id FROM turn JOIN deliveries d ON d.id = turn.id
    WHERE d.due_at <= started
    FOR UPDATE OF d SKIP LOCKED
  )
  UPDATE deliveries d SET due_at = started + lease
  FROM due, webhooks w
  WHERE d.id = due.id AND w.id = d.webhook_id
  RETURNING d.id, d.run, d.account_id, d.webhook_id, d.event_type, w.url;
END $$;
