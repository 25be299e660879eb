-- The lane for volume, faster: each index on these tables is written at every delivery.

-- The deliveries of an event have its time in their ids, and are a range of the primary key (events.ts). Dropping
-- an index takes no time of its own. The version before still asks by it, for one event's deliveries and for what
-- is past its retention: until it is stopped it reads the whole table for that.
-- squawk-ignore require-concurrent-index-deletion
DROP INDEX deliveries_event;
-- record_attempts looks whether an outcome is recorded while it holds the delivery, which has few attempts.
ALTER TABLE attempts DROP CONSTRAINT attempts_delivery_id_id_key;

-- As in 011_lane.sql, but of what is free of half of all slots a lane may take half for one webhook, and not of a
-- quarter: its retries take none of these slots, and larger claims cost less for each delivery. So one webhook
-- alone gets 333 of 2,000.
CREATE OR REPLACE FUNCTION choose_deliveries(
  batch int, look_ahead interval, lane uuid, held text[], held_of text[]
)
RETURNS TABLE (id text, webhook_id text)
LANGUAGE plpgsql VOLATILE
-- A plan made while the table was empty would read all of it once it is not.
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
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

  SELECT held || coalesce(array_agg(h.id), '{}'), held_of || coalesce(array_agg(h.webhook_id), '{}')
  INTO held, held_of
  FROM lanes l, unnest(l.delivery_ids, l.webhook_ids) AS h (id, webhook_id)
  WHERE l.until > started AND l.id IS DISTINCT FROM lane;

  SELECT greatest(1, (
    slots_of_all / CASE WHEN lane IS NULL THEN 4 ELSE 2 END - count(*) - cardinality(held)
  ) / 2) INTO share
  FROM deliveries d WHERE d.check_at <= started + look_ahead;

  SELECT greatest(1, slots_of_all / 8) - (
    SELECT count(*) FROM deliveries d
    WHERE d.check_at <= started + look_ahead AND d.webhook_id IN (SELECT s.webhook_id FROM slow_webhooks s)
  ) - (
    SELECT count(*) FROM slow_webhooks s JOIN deliveries d ON d.webhook_id = s.webhook_id
    WHERE d.due_at > started
  ) - (
    SELECT count(*) FROM unnest(held_of) AS h (webhook_id)
    WHERE h.webhook_id IN (SELECT s.webhook_id FROM slow_webhooks s)
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
    SELECT u.webhook_id, count(*) AS n FROM (
      SELECT d.webhook_id FROM deliveries d WHERE d.check_at <= started + look_ahead
      UNION ALL
      SELECT h.webhook_id FROM unnest(held_of) AS h (webhook_id)
    ) u
    GROUP BY u.webhook_id
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
    SELECT d.id, d.webhook_id, d.due_at, busy.is_slow,
      busy.n + row_number() OVER (PARTITION BY d.webhook_id ORDER BY d.due_at) AS place,
      count(*) OVER (PARTITION BY d.webhook_id) AS waiting
    FROM busy CROSS JOIN LATERAL (
      SELECT d.id, d.webhook_id, d.due_at FROM deliveries d
      WHERE d.webhook_id = busy.webhook_id AND d.due_at <= started
        AND d.id NOT IN (SELECT h.id FROM unnest(held) AS h (id))
      ORDER BY d.due_at
      -- Where many webhooks wait, two of each are enough to choose from.
      LIMIT least(busy.cap - busy.n, CASE
        WHEN (SELECT count(*) FROM busy o WHERE o.n < o.cap) >= batch THEN 2 ELSE batch
      END)
    ) d
    WHERE busy.n < busy.cap
  )
  SELECT c.id, c.webhook_id FROM (
    SELECT *, row_number() OVER (PARTITION BY o.is_slow ORDER BY o.due_at) AS nth FROM candidate o
  ) c
  WHERE NOT c.is_slow OR c.nth <= slow_room
  -- The slow ones take a tenth of a claim, and what nobody else wants.
  ORDER BY c.is_slow AND c.nth > greatest(1, batch / 10), c.place, c.waiting, c.due_at
  LIMIT batch;
END $$;
