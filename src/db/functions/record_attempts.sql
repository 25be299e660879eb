-- Records attempts and updates their deliveries and the queue, all or none. The first attempt of a delivery is kept in
-- the delivery, if it succeeded, until another one is recorded. Each is numbered under the lock of its delivery, which
-- becomes DELIVERED after a 2xx, FAILED after the last failure that is allowed, and otherwise stays RETRYING with
-- the time of its next attempt. An outcome that was recorded before, or comes too late, writes nothing: nothing
-- overwrites DELIVERED, and only a 2xx overwrites FAILED. A failure of another run than the delivery's, or of another
-- attempt than its next, writes nothing either: two workers that made the same attempt record one.
--
--   ids          the deliveries that `outcomes` is about, each once
--   outcomes     JSON array of objects with deliveryId and the members of `Outcome` in TypeScript
--   delays_ms    milliseconds from each failure of a run but the last to the next attempt
--   check_after  from the time of the next attempt until reconciliation looks up the workflow in Temporal. NULL when no
--                workflow made these attempts: then one is to be started for what is tried again.
--   bodies_kept  newest attempts of a delivery that keep their response body: a delivery that is sent again and again
--                would grow without limit. NULL keeps all.
--   slow_ms      an attempt that took this many milliseconds or more makes its webhook slow, until a delivery takes less
--
-- Returns: the new state of each delivery that was changed; wait_ms is milliseconds until its next attempt.
-- Locks: the deliveries until the transaction ends, in the order of their ids, by a statement of its own: the next one
-- sees what was recorded while this one waited. A webhook's row that is locked by another transaction (an ordered
-- event, a PATCH) is skipped, so that no outcome waits for it: that the webhook began to fail is written at its next
-- failure, and that it works again is noted in recovered_webhooks. A row of slow_webhooks that is locked is being
-- removed, and is skipped too. Rows of the queue are changed under the locks of their deliveries; the next row of an
-- order is skipped when it is locked, for its claimer looks at it anyway. Called by: recordAttempts.
-- Contract: 4.13 Automatic disabling, 5.2 Delivery status, 5.3 Retry schedule, 5.4 What counts as an attempt,
-- 5.12 Ordered delivery.
CREATE OR REPLACE FUNCTION record_attempts(
  ids text[], outcomes json, delays_ms float8[], check_after interval, slow_ms int,
  bodies_kept int DEFAULT NULL
)
RETURNS TABLE (
  id text, event_id text, webhook_id text, status text, attempt_count int, attempt_limit int,
  http_status int, error text, wait_ms float8
)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  -- LATERAL: whatever the planner believes of the table, each id is looked up in the index. "C" is the collation of
  -- the column, and the order in which every statement locks several deliveries.
  PERFORM FROM (SELECT i.id FROM unnest(ids) AS i (id) ORDER BY i.id COLLATE "C") o
    CROSS JOIN LATERAL (SELECT FROM deliveries d WHERE d.id = o.id FOR UPDATE) d;

  RETURN QUERY
  WITH next AS MATERIALIZED (
    SELECT o.*, d.*, o.error IS NULL AS delivered, o.error IS NULL AND d.number = 1 AS is_held, clock_timestamp() + make_interval(secs => CASE
      -- The first failure of a run has the number attempt_limit - cardinality(delays_ms), whichever run it is. After
      -- the last failure the array has no delay: NULL.
      WHEN o.error IS NOT NULL
        THEN delays_ms[d.number - d.attempt_limit + cardinality(delays_ms) + 1] / 1000
    END) AS next_attempt_at
    FROM json_to_recordset(outcomes) AS o (
      "deliveryId" text, "attemptId" uuid, "startedAt" timestamptz, "durationMs" int, "httpStatus" int,
      "responseBody" text, error text, "requestUrl" text, signatures text, run int, attempt int
    )
    CROSS JOIN LATERAL (
      SELECT d.ctid AS place, d.account_id, d.webhook_id, coalesce(d.sequence, 0) AS sequence,
        d.attempt_count + 1 AS number, d.attempt_limit, d.attempt_id IS NOT NULL AS holds_first,
        (
          SELECT q.kind FROM delivery_queue q
          WHERE q.account_id = d.account_id AND q.webhook_id = d.webhook_id AND q.kind = ANY ('{0,1,2,3,4}')
            AND q.sequence = coalesce(d.sequence, 0) AND q.delivery_id = d.id
          LIMIT 1
        ) AS kind,
        coalesce(o."requestUrl", (SELECT w.url FROM webhooks w WHERE w.id = d.webhook_id)) AS url
      FROM deliveries d
      WHERE d.id = o."deliveryId"
        AND CASE
          WHEN o.error IS NULL THEN d.status <> 'DELIVERED'
          ELSE d.status = 'RETRYING' AND coalesce(o.run, d.run) = d.run
            AND coalesce(o.attempt, d.attempt_count + 1) = d.attempt_count + 1
        END
        AND d.attempt_id IS DISTINCT FROM o."attemptId"
        AND NOT EXISTS (
          SELECT FROM attempts a WHERE a.delivery_id = o."deliveryId" AND a.id = o."attemptId"
        )
      LIMIT 1
    ) d
  ),
  attempt AS (
    INSERT INTO attempts (delivery_id, number, id, started_at, duration_ms,
      http_status, error, response_body, request_url, signatures)
    SELECT n."deliveryId", n.number, n."attemptId", n."startedAt", n."durationMs",
      n."httpStatus", n.error, n."responseBody", n.url, decode(n.signatures, 'base64')
    FROM next n WHERE NOT n.is_held
    UNION ALL
    SELECT d.id, 1, d.attempt_id, d.attempt_started_at, d.attempt_duration_ms,
      d.http_status, NULL, d.response_body, d.attempt_url, d.attempt_signatures
    FROM next n JOIN deliveries d ON d.ctid = n.place WHERE n.holds_first
  ),
  forgotten AS (
    UPDATE attempts a SET response_body = NULL
    -- LATERAL, as above.
    FROM next n CROSS JOIN LATERAL (
      SELECT a.ctid AS place FROM attempts a
      WHERE a.delivery_id = n."deliveryId" AND a.number = n.number - bodies_kept LIMIT 1
    ) o
    WHERE a.ctid = o.place AND n.number > bodies_kept
  ),
  -- Webhooks that began to fail or work again. They are few, so that most calls write no webhook.
  turned AS (
    SELECT w.id, w.failing_since, f.delivered
    FROM (
      SELECT n.webhook_id, bool_or(n.delivered) AS delivered FROM next n
      WHERE n.next_attempt_at IS NULL GROUP BY n.webhook_id
    -- LATERAL, as above.
    ) f CROSS JOIN LATERAL (
      SELECT w.id, w.failing_since FROM webhooks w WHERE w.id = f.webhook_id LIMIT 1
    ) w
    WHERE CASE WHEN f.delivered THEN w.failing_since IS NOT NULL
      ELSE (SELECT s.failing_since IS NULL FROM webhook_states s WHERE s.id = w.id)
    END
  ),
  failing AS (
    UPDATE webhooks w SET failing_since = CASE WHEN NOT f.delivered THEN clock_timestamp() END
    FROM (
      SELECT l.id, t.delivered FROM (SELECT * FROM turned t ORDER BY t.id) t CROSS JOIN LATERAL (
        SELECT w.id FROM webhooks w WHERE w.id = t.id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
      ) l
    ) f
    WHERE w.id = ANY (ARRAY[f.id])
    RETURNING w.id
  ),
  recovered AS (
    INSERT INTO recovered_webhooks AS r
    SELECT t.id, t.failing_since FROM turned t
    WHERE t.delivered AND t.id NOT IN (SELECT f.id FROM failing f)
    ORDER BY t.id
    ON CONFLICT (webhook_id) DO UPDATE SET failing_since = excluded.failing_since
      WHERE r.failing_since <> excluded.failing_since
  ),
  quick AS (
    DELETE FROM slow_webhooks s
    WHERE s.webhook_id IN (
      SELECT q.webhook_id FROM slow_webhooks q
      WHERE q.webhook_id IN (
        SELECT n.webhook_id FROM next n WHERE n.delivered AND n."durationMs" < slow_ms
      )
      FOR UPDATE SKIP LOCKED
    )
  ),
  slow AS (
    INSERT INTO slow_webhooks (webhook_id)
    SELECT n.webhook_id FROM next n GROUP BY n.webhook_id
    HAVING bool_or(n."durationMs" >= slow_ms) AND NOT bool_or(n.delivered AND n."durationMs" < slow_ms)
      -- Deliveries of a webhook that is disabled or deleted end without a request, and use no slot.
      AND EXISTS (SELECT FROM webhooks w WHERE w.id = n.webhook_id AND w.enabled AND w.deleted_at IS NULL)
      AND NOT EXISTS (SELECT FROM slow_webhooks s WHERE s.webhook_id = n.webhook_id)
    ORDER BY n.webhook_id
    ON CONFLICT DO NOTHING
  ),
  -- `= ANY (ARRAY[...])` here and below: rows are looked up by their keys. With `=`, where all rows of the table are dead
  -- and a snapshot keeps them, the plan reads the whole index, because the planner believes that it has one entry.
  finished AS (
    DELETE FROM delivery_queue q USING next n
    WHERE q.account_id = ANY (ARRAY[n.account_id]) AND q.webhook_id = n.webhook_id AND q.kind = n.kind
      AND q.sequence = n.sequence AND q.delivery_id = n."deliveryId" AND n.next_attempt_at IS NULL
  ),
  retried AS (
    UPDATE delivery_queue q SET
      kind = CASE WHEN check_after IS NULL THEN 0 ELSE 4 END,
      claimer = NULL,
      xid = pg_current_xact_id(),
      due_at = clock_timestamp(),
      check_at = n.next_attempt_at + check_after
    FROM next n
    WHERE q.account_id = ANY (ARRAY[n.account_id]) AND q.webhook_id = n.webhook_id AND q.kind = n.kind
      AND q.sequence = n.sequence AND q.delivery_id = n."deliveryId" AND n.next_attempt_at IS NOT NULL
  ),
  -- The next of an order can be claimed.
  announced AS (
    UPDATE delivery_queue q SET xid = pg_current_xact_id()
    FROM next n CROSS JOIN LATERAL (
      SELECT q.ctid AS place FROM delivery_queue q
      WHERE q.account_id = n.account_id AND q.webhook_id = n.webhook_id AND q.kind = 1 AND q.sequence > n.sequence
      ORDER BY q.sequence LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    ) o
    WHERE q.ctid = o.place AND n.sequence > 0 AND n.next_attempt_at IS NULL
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
    without_workflow = check_after IS NULL AND n.next_attempt_at IS NULL AND (
      -- False where a workflow runs or is to be started: this outcome came late, from a lane that another overtook.
      CASE d.status
        WHEN 'RETRYING' THEN coalesce(n.kind NOT IN (0, 4), true)
        ELSE d.without_workflow
      END
    ),
    attempt_id = CASE WHEN n.is_held THEN n."attemptId" END,
    attempt_started_at = CASE WHEN n.is_held THEN n."startedAt" END,
    attempt_duration_ms = CASE WHEN n.is_held THEN n."durationMs" END,
    attempt_url = CASE WHEN n.is_held THEN n.url END,
    attempt_signatures = CASE WHEN n.is_held THEN decode(n.signatures, 'base64') END
  FROM next n
  WHERE d.ctid = n.place
  RETURNING d.id, d.event_id, d.webhook_id, d.status, d.attempt_count, d.attempt_limit, d.http_status,
    d.error, greatest(0, coalesce(extract(epoch FROM d.next_attempt_at - clock_timestamp()), 0) * 1000)::float8;
END $$;
