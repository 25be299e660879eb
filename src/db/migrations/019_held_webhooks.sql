-- A webhook whose row somebody holds (an event of one that is ordered, a PATCH) holds up no outcome: recorded together
-- with those of all others, one that waited kept them waiting too.

-- Webhooks of which one was DELIVERED while its row was held, and what failing_since was then: for as long as it is
-- that still, it counts as NULL (webhooks/failing.ts), which is until the next one is DELIVERED. A row says nothing any
-- more once failing_since has changed, and stays: to remove it in the same statement, two of these could wait for each
-- other. There is one for each webhook at most.
CREATE TABLE recovered_webhooks (
  webhook_id text COLLATE "C" PRIMARY KEY,
  failing_since timestamptz NOT NULL
);

-- As in 016_late_outcomes.sql, but failing_since is left as it is where its row is held: that one began to fail is
-- written when it fails again, and that one does not any more is noted apart, for it must not be lost. And what is
-- among the slow webhooks already is not added to them, which would wait for whoever is removing it.
CREATE OR REPLACE FUNCTION record_attempts(
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
  PERFORM FROM (SELECT i.id FROM unnest(ids) AS i (id) ORDER BY i.id COLLATE "C") o
    CROSS JOIN LATERAL (SELECT FROM deliveries d WHERE d.id = o.id FOR UPDATE) d;

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
  -- Written only where it changes, which is not at every delivery.
  turned AS (
    SELECT w.id, w.failing_since, f.delivered
    FROM (
      SELECT n.webhook_id, bool_or(n.delivered) AS delivered FROM next n
      WHERE n.next_attempt_at IS NULL GROUP BY n.webhook_id
    ) f JOIN webhooks w ON w.id = f.webhook_id
    WHERE CASE WHEN f.delivered THEN w.failing_since IS NOT NULL ELSE w.failing_since IS NULL OR EXISTS (
      SELECT FROM recovered_webhooks r WHERE r.webhook_id = w.id AND r.failing_since = w.failing_since
    ) END
  ),
  failing AS (
    UPDATE webhooks w SET failing_since = CASE WHEN NOT f.delivered THEN clock_timestamp() END
    FROM (
      SELECT w.id, t.delivered FROM turned t JOIN webhooks w ON w.id = t.id
      ORDER BY w.id FOR NO KEY UPDATE OF w SKIP LOCKED
    ) f
    WHERE w.id = f.id
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
      -- What waits for one that is disabled or deleted ends without a request, and need not take turns.
      AND EXISTS (SELECT FROM webhooks w WHERE w.id = n.webhook_id AND w.enabled AND w.deleted_at IS NULL)
      AND NOT EXISTS (SELECT FROM slow_webhooks s WHERE s.webhook_id = n.webhook_id)
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
    without_workflow = check_after IS NULL AND n.next_attempt_at IS NULL AND (
      -- Its workflow runs, or is to be started; or it was final without one.
      CASE d.status
        WHEN 'RETRYING' THEN d.check_at IS NULL AND d.workflow_due_at IS NULL
        ELSE d.without_workflow
      END
    )
  FROM next n
  WHERE d.ctid = n.place
  RETURNING d.id, d.event_id, d.webhook_id, d.status, d.attempt_count, d.attempt_limit, d.http_status,
    d.error, greatest(0, coalesce(extract(epoch FROM d.next_attempt_at - clock_timestamp()), 0) * 1000)::float8;
END $$;
