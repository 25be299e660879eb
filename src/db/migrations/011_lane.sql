-- The lane for volume: dispatchers that make the first attempt of a run themselves, and start a workflow
-- only when it failed.

ALTER TABLE deliveries
  -- Its workflow is to be started, because its first attempt failed without one; once claimed, the end of
  -- the claim's lease.
  ADD COLUMN workflow_due_at timestamptz,
  -- It became final without a workflow.
  ADD COLUMN without_workflow boolean NOT NULL DEFAULT false;
CREATE INDEX deliveries_workflow_due ON deliveries (workflow_due_at) WHERE workflow_due_at IS NOT NULL;

-- What each of these dispatchers has under way, `webhook_ids[i]` being the webhook of `delivery_ids[i]`. One
-- row that is written at each claim, and not one write for each delivery: half of all that Postgres has to
-- do for one. When `until` has passed without another claim, its deliveries are due as before.
CREATE TABLE lanes (
  id uuid PRIMARY KEY,
  until timestamptz NOT NULL,
  delivery_ids text[] COLLATE "C" NOT NULL,
  webhook_ids text[] COLLATE "C" NOT NULL
);

-- All that an attempt needs to know of a delivery, at this moment.
CREATE VIEW deliveries_to_send AS
SELECT d.id, d.run, d.status, d.attempt_count, d.attempt_limit, d.http_status, d.error, d.next_attempt_at,
  d.test, d.event_type, d.event_id, e.body, d.webhook_id, w.url, w.enabled,
  w.deleted_at IS NOT NULL AS deleted,
  -- As in webhooks/pause.ts.
  (w.paused_at IS NOT NULL OR (SELECT paused_at IS NOT NULL FROM deployment)) AS paused,
  w.failing_since IS NOT NULL AS failing,
  w.secret, w.previous_secret, w.previous_secret_until
FROM deliveries d JOIN events e ON e.id = d.event_id JOIN webhooks w ON w.id = d.webhook_id;

-- Chooses up to `batch` due deliveries, the next in turn first, as 009_slow_share.sql says; and it counts and
-- leaves alone what the lanes have under way: `held`, of the webhooks `held_of`, in that of the caller, which
-- is `lane`. Claims take turns: whoever has called this holds the lock until its transaction ends.
CREATE FUNCTION choose_deliveries(
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

  SELECT greatest(1, (slots_of_all / 4 - count(*) - cardinality(held)) / 2) INTO share
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

-- As in 009_slow_share.sql: claims deliveries, each until `lease` from now, to be handed to Temporal.
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
    SELECT d.id FROM deliveries d
    WHERE d.id = ANY (chosen) AND d.due_at <= clock_timestamp()
    FOR UPDATE OF d SKIP LOCKED
  )
  UPDATE deliveries d SET due_at = clock_timestamp() + lease
  FROM due, webhooks w
  WHERE d.id = due.id AND w.id = d.webhook_id
  RETURNING d.id, d.run, d.account_id, d.webhook_id, d.event_type, w.url;
END $$;

-- Claims deliveries for `lane`, which has `held` of the webhooks `held_of` under way already, and holds all of
-- them until `lease` from now. What it held before and does not name any more is free.
CREATE FUNCTION claim_for_lane(
  batch int, lease interval, look_ahead interval, lane uuid, held text[], held_of text[]
)
RETURNS SETOF deliveries_to_send
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  chosen text[];
  chosen_of text[];
BEGIN
  -- What Postgres loses of this as it crashes is due at once instead of a little later.
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT coalesce(array_agg(c.id), '{}'), coalesce(array_agg(c.webhook_id), '{}')
  INTO chosen, chosen_of
  FROM choose_deliveries(batch, look_ahead, lane, held, held_of) c;

  DELETE FROM lanes l WHERE l.until < clock_timestamp() - interval '1 minute'
    OR (l.id = lane AND cardinality(held) + cardinality(chosen) = 0);
  IF cardinality(held) + cardinality(chosen) > 0 THEN
    INSERT INTO lanes (id, until, delivery_ids, webhook_ids)
    VALUES (lane, clock_timestamp() + lease, held || chosen, held_of || chosen_of)
    ON CONFLICT (id) DO UPDATE
    SET until = EXCLUDED.until, delivery_ids = EXCLUDED.delivery_ids, webhook_ids = EXCLUDED.webhook_ids;
  END IF;

  -- Read by a statement of its own, which sees what was committed while this waited for its turn.
  RETURN QUERY SELECT * FROM deliveries_to_send d WHERE d.id = ANY (chosen);
END $$;

-- Records attempts and what they make of their deliveries, all or none: each numbered under its row's lock,
-- DELIVERED at a 2xx, FAILED at the last failure that is allowed, else RETRYING with the time of the next
-- attempt. No row is answered, and nothing written, of an outcome that is recorded already or comes too
-- late: nothing overwrites DELIVERED, and only a 2xx overwrites FAILED (contract 5).
--
-- `ids`: those of the deliveries that `outcomes` is about, none twice. `delays_ms`: from each failure of a run to the next attempt. `check_after`: from the time of the next attempt
-- until the sweep asks Temporal; NULL when no workflow made these: then one is to be started for what is
-- tried again. `slow_ms`: an attempt that takes longer makes its webhook slow, until one is delivered in less.
CREATE FUNCTION record_attempts(
  ids text[], outcomes json, delays_ms float8[], check_after interval, slow_ms int
)
RETURNS TABLE (
  id text, event_id text, webhook_id text, status text, attempt_count int, attempt_limit int,
  http_status int, error text, wait_ms float8
)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  -- Locked in one order everywhere, so that no two of these wait for each other, and by a statement of its own,
  -- so that the next one sees what was recorded while this waited. LATERAL: whatever the planner believes
  -- of the table, it looks each id up in the index.
  PERFORM FROM (SELECT i.id FROM unnest(ids) AS i (id) ORDER BY 1) o CROSS JOIN LATERAL (SELECT FROM deliveries d WHERE d.id = o.id FOR UPDATE) d;

  RETURN QUERY
  WITH next AS MATERIALIZED (
    SELECT o.*, d.*, o.error IS NULL AS delivered, clock_timestamp() + make_interval(secs => CASE
      -- The first failure of a run has the number attempt_limit - 2, whichever run it is. After the last
      -- one there is no delay in the array: NULL.
      WHEN o.error IS NOT NULL
        THEN delays_ms[d.number - d.attempt_limit + cardinality(delays_ms) + 1] / 1000
    END) AS next_attempt_at
    FROM json_to_recordset(outcomes) AS o (
      "deliveryId" text, "attemptId" uuid, "startedAt" timestamptz, "durationMs" int, "httpStatus" int,
      "responseBody" text, error text, "requestUrl" text, "requestHeaders" jsonb
    )
    CROSS JOIN LATERAL (
      SELECT d.ctid AS place, d.webhook_id, d.attempt_count + 1 AS number, d.attempt_limit
      FROM deliveries d
      WHERE d.id = o."deliveryId" AND (d.status = 'RETRYING' OR (d.status = 'FAILED' AND o.error IS NULL))
        AND NOT EXISTS (
          SELECT FROM attempts a WHERE a.delivery_id = o."deliveryId" AND a.id = o."attemptId"
        )
      LIMIT 1
    ) d
  ),
  attempt AS (
    INSERT INTO attempts (delivery_id, number, id, started_at, duration_ms,
      http_status, error, response_body, request_url, request_headers)
    SELECT n."deliveryId", n.number, n."attemptId", n."startedAt", n."durationMs",
      n."httpStatus", n.error, n."responseBody",
      coalesce(n."requestUrl", (SELECT w.url FROM webhooks w WHERE w.id = n.webhook_id)),
      n."requestHeaders"
    FROM next n
  ),
  failing AS (
    UPDATE webhooks w SET failing_since = CASE WHEN NOT f.delivered THEN clock_timestamp() END
    FROM (
      SELECT w.id, f.delivered
      FROM (
        SELECT n.webhook_id, bool_or(n.delivered) AS delivered FROM next n
        WHERE n.next_attempt_at IS NULL GROUP BY n.webhook_id
      ) f JOIN webhooks w ON w.id = f.webhook_id
      -- Written only where it changes, which is not at every delivery.
      WHERE (w.failing_since IS NULL) <> f.delivered
      ORDER BY w.id FOR NO KEY UPDATE OF w
    ) f
    WHERE w.id = f.id
  ),
  quick AS (
    DELETE FROM slow_webhooks s
    WHERE s.webhook_id IN (
      SELECT n.webhook_id FROM next n WHERE n.delivered AND n."durationMs" < slow_ms
    )
  ),
  slow AS (
    INSERT INTO slow_webhooks (webhook_id)
    SELECT n.webhook_id FROM next n GROUP BY n.webhook_id
    HAVING bool_or(n."durationMs" >= slow_ms) AND NOT bool_or(n.delivered AND n."durationMs" < slow_ms)
      -- What waits for one that is disabled or deleted ends without a request, and need not take turns.
      AND EXISTS (SELECT FROM webhooks w WHERE w.id = n.webhook_id AND w.enabled AND w.deleted_at IS NULL)
    ORDER BY n.webhook_id
    ON CONFLICT DO NOTHING
  )
  UPDATE deliveries d SET
    attempt_count = n.number,
    status = CASE
      WHEN n.delivered THEN 'DELIVERED'
      WHEN n.next_attempt_at IS NULL THEN 'FAILED'
      ELSE 'RETRYING'
    END,
    http_status = n."httpStatus",
    response_body = n."responseBody",
    error = n.error,
    next_attempt_at = n.next_attempt_at,
    delivered_at = CASE WHEN n.delivered THEN clock_timestamp() END,
    due_at = NULL,
    check_at = n.next_attempt_at + check_after,
    workflow_due_at = CASE
      WHEN check_after IS NULL AND n.next_attempt_at IS NOT NULL THEN clock_timestamp()
    END,
    without_workflow = check_after IS NULL AND n.next_attempt_at IS NULL
  FROM next n
  WHERE d.ctid = n.place
  RETURNING d.id, d.event_id, d.webhook_id, d.status, d.attempt_count, d.attempt_limit, d.http_status,
    d.error, greatest(0, coalesce(extract(epoch FROM d.next_attempt_at - clock_timestamp()), 0) * 1000)::float8;
END $$;
