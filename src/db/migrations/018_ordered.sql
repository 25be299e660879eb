-- Ordered delivery: a webhook that wants its events in the order of their commits, one at a time.

ALTER TABLE webhooks
  ADD COLUMN ordered boolean NOT NULL DEFAULT false,
  -- The number of its latest event. Who takes the next one holds the row until it commits, so that the
  -- numbers are in the order of commits.
  ADD COLUMN last_sequence bigint NOT NULL DEFAULT 0;

-- Its place in the order of its webhook; NULL outside of any: a test, a redelivery, a webhook without order.
-- While it waits for its first turn its due_at is 'infinity', apart from all that is due or claimed. Once it was
-- claimed it is like any other, for nothing comes before the first one that is not final.
ALTER TABLE deliveries ADD COLUMN sequence bigint;
-- The index stays small, but making it reads the table once; other requests wait for that long, none is refused
-- (docs/operations.md).
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX deliveries_order ON deliveries (webhook_id, sequence)
  WHERE sequence IS NOT NULL AND status = 'RETRYING';

-- As in 012_lane_speed.sql, but of what waits in an order it takes only the first that is not final; and a
-- webhook whose attempts all end soon keeps some room while others that do not answer fill theirs: with one
-- delivery at a time it could not keep up.
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
-- Starting processes for what takes 1 ms took 8, where there were a million deliveries.
SET max_parallel_workers_per_gather = 0
AS $$
#variable_conflict use_column
DECLARE
  started timestamptz;
  slots_of_all bigint;
  share int;
  quick_share int;
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

  SELECT greatest(1, (slots_of_all / CASE WHEN lane IS NULL THEN 4 ELSE 2 END - u.n) / 2),
    (slots_of_all / 2 - u.n) / 32
  INTO share, quick_share
  FROM (
    SELECT count(*) + cardinality(held) AS n FROM deliveries d
    WHERE d.check_at <= started + look_ahead
  ) u;

  SELECT greatest(1, slots_of_all / 8) - (
    SELECT count(*) FROM deliveries d
    WHERE d.check_at <= started + look_ahead AND d.webhook_id IN (SELECT s.webhook_id FROM slow_webhooks s)
  ) - (
    SELECT count(*) FROM slow_webhooks s JOIN deliveries d ON d.webhook_id = s.webhook_id
    WHERE d.due_at > started AND d.due_at < 'infinity'
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
    SELECT u.webhook_id, count(*) AS n, bool_or(u.is_late) AS is_late FROM (
      SELECT d.webhook_id, d.check_at <= started + look_ahead - interval '5 seconds' AS is_late
      FROM deliveries d WHERE d.check_at <= started + look_ahead
      UNION ALL
      SELECT h.webhook_id, false FROM unnest(held_of) AS h (webhook_id)
    ) u
    GROUP BY u.webhook_id
  ),
  busy AS MATERIALIZED (
    SELECT walk.webhook_id, slow.webhook_id IS NOT NULL AS is_slow,
      CASE
        WHEN slow.webhook_id IS NOT NULL THEN 1
        WHEN u.is_late THEN share
        ELSE greatest(share, quick_share)
      END AS cap,
      coalesce(u.n, 0) + (
        -- Claimed, and not handed over yet.
        SELECT count(*) FROM deliveries d
        WHERE d.webhook_id = walk.webhook_id AND d.due_at > started AND d.due_at < 'infinity'
      ) AS n,
      -- One that is deleted is sent nothing: what waits ends, and needs no order for that.
      w.ordered AND w.deleted_at IS NULL AS ordered
    FROM walk
    JOIN webhooks w ON w.id = walk.webhook_id AND w.paused_at IS NULL
    LEFT JOIN under_way u ON u.webhook_id = walk.webhook_id
    LEFT JOIN slow_webhooks slow ON slow.webhook_id = walk.webhook_id
    -- Neither is paused, as in webhooks/pause.ts.
    WHERE (
        walk.due_at <= started
        -- Not EXISTS, for which the planner would read all that wait in any order.
        OR (SELECT true FROM deliveries d WHERE d.webhook_id = walk.webhook_id AND d.due_at = 'infinity' LIMIT 1)
      )
      AND NOT EXISTS (SELECT FROM deployment WHERE deployment.paused_at IS NOT NULL)
  ),
  free AS MATERIALIZED (
    -- Where many webhooks wait, two of each are enough to choose from.
    SELECT busy.*, least(busy.cap - busy.n, CASE
      WHEN (SELECT count(*) FROM busy o WHERE o.n < o.cap) >= batch THEN 2 ELSE batch
    END) AS room
    FROM busy WHERE busy.n < busy.cap
  ),
  candidate AS (
    SELECT d.id, d.webhook_id, d.due_at, free.is_slow,
      free.n + row_number() OVER (PARTITION BY d.webhook_id ORDER BY d.due_at) AS place,
      count(*) OVER (PARTITION BY d.webhook_id) AS waiting
    FROM free CROSS JOIN LATERAL (
      (
        SELECT d.id, d.webhook_id, d.due_at FROM deliveries d
        WHERE d.webhook_id = free.webhook_id AND d.due_at <= started
          AND d.id NOT IN (SELECT h.id FROM unnest(held) AS h (id))
        ORDER BY d.due_at LIMIT free.room
      )
      UNION ALL
      -- Of an order the first that is not final, if it waits; once there is no order any more, all that do.
      -- It counts as due since it was made: a backlog of redeliveries does not hold the order up.
      SELECT f.id, f.webhook_id, f.created_at FROM (
        SELECT d.id, d.webhook_id, d.created_at, d.due_at FROM deliveries d
        WHERE d.webhook_id = free.webhook_id AND d.sequence IS NOT NULL AND d.status = 'RETRYING'
          AND (free.ordered OR d.due_at = 'infinity')
          AND (free.ordered OR d.id NOT IN (SELECT h.id FROM unnest(held) AS h (id)))
        ORDER BY d.sequence LIMIT CASE WHEN free.ordered THEN 1 ELSE free.room END
      ) f
      WHERE f.due_at = 'infinity' AND f.id NOT IN (SELECT h.id FROM unnest(held) AS h (id))
      ORDER BY 3 LIMIT free.room
    ) d
  )
  SELECT c.id, c.webhook_id FROM (
    SELECT *, row_number() OVER (PARTITION BY o.is_slow ORDER BY o.due_at) AS nth FROM candidate o
  ) c
  WHERE NOT c.is_slow OR c.nth <= slow_room
  -- The slow ones take a tenth of a claim, and what nobody else wants.
  ORDER BY c.is_slow AND c.nth > greatest(1, batch / 10), c.place, c.waiting, c.due_at
  LIMIT batch;
END $$;

-- As in 011_lane.sql, but also what waited in an order, and always by the primary key.
CREATE OR REPLACE FUNCTION claim_deliveries(batch int, lease interval, look_ahead interval)
RETURNS TABLE (id text, run int, account_id text, webhook_id text, event_type text, url text)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  chosen text[];
BEGIN
  -- A claim that Postgres loses as it crashes holds nothing; the workflow that was started is found started.
  PERFORM set_config('synchronous_commit', 'off', true);
  chosen := ARRAY(SELECT c.id FROM choose_deliveries(batch, look_ahead, NULL, '{}', '{}') c);
  RETURN QUERY
  WITH due AS MATERIALIZED (
    -- Each is looked up by its id alone: a plan made while nothing was due would read all that is due by now for
    -- each of them. LIMIT keeps the condition out of the look-up.
    SELECT d.id FROM unnest(chosen) AS c (id) CROSS JOIN LATERAL (
      SELECT d.id, d.due_at FROM deliveries d WHERE d.id = c.id LIMIT 1 FOR UPDATE SKIP LOCKED
    ) d
    WHERE d.due_at <= clock_timestamp() OR d.due_at = 'infinity'
  )
  UPDATE deliveries d SET due_at = clock_timestamp() + lease
  FROM due, webhooks w
  WHERE d.id = due.id AND w.id = d.webhook_id
  RETURNING d.id, d.run, d.account_id, d.webhook_id, d.event_type, w.url;
END $$;
