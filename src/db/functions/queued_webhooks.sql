-- The webhooks that have rows in delivery_queue, in the order of the primary key: one probe of it for each webhook and
-- kind. A claimer reads all of them once when it starts.
--
--   after_account, after_webhook, after_kind
--         where the page before ended
--   most  rows to return
--
-- Returns: account, webhook and kind, sequence and delivery of the first row, and a sixth value where the webhook is
-- paused and the row waits for that; as text, with commas between them and a semicolon between rows. NULL at the end.
-- Locks: none. Called by: readQueuedWebhooks. Contract: 5.8 At least once.
CREATE OR REPLACE FUNCTION queued_webhooks(after_account text, after_webhook text, after_kind smallint, most int)
RETURNS text
LANGUAGE sql VOLATILE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_sort = off
SET jit = off
AS $$
  WITH RECURSIVE walk AS (
    (
      SELECT q.account_id, q.webhook_id, q.kind, q.sequence, q.delivery_id FROM delivery_queue q
      WHERE (q.account_id, q.webhook_id, q.kind) > (after_account, after_webhook, after_kind)
      ORDER BY q.account_id, q.webhook_id, q.kind, q.sequence, q.delivery_id LIMIT 1
    )
    UNION ALL
    SELECT next.*
    FROM walk CROSS JOIN LATERAL (
      SELECT q.account_id, q.webhook_id, q.kind, q.sequence, q.delivery_id FROM delivery_queue q
      WHERE (q.account_id, q.webhook_id, q.kind) > (walk.account_id, walk.webhook_id, walk.kind)
      ORDER BY q.account_id, q.webhook_id, q.kind, q.sequence, q.delivery_id LIMIT 1
    ) next
  )
  SELECT string_agg(concat_ws(',', w.account_id, w.webhook_id, w.kind, w.sequence, w.delivery_id, (
    SELECT 1 FROM webhooks h WHERE h.id = w.webhook_id AND h.paused_at IS NOT NULL AND w.kind <> 0
  )), ';')
  FROM (SELECT * FROM walk LIMIT most) w
$$;
