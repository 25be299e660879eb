-- The next rows of several webhooks in delivery_queue that can be claimed, each webhook's in order.
--
--   accounts, webhooks, kinds, sequences, ids
--         one element for each webhook and kind: the first position to read from
--   most  rows to return of each
--
-- Returns: the index of the element (from 1), sequence and delivery as text, with commas between them and a semicolon
-- between rows; NULL where there are none.
-- Locks: none. Called by: readQueuedDeliveries. Contract: 5.8 At least once.
CREATE OR REPLACE FUNCTION queued_deliveries(
  accounts text[], webhooks text[], kinds smallint[], sequences bigint[], ids text[], most int
)
RETURNS text
LANGUAGE sql VOLATILE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
  SELECT string_agg(concat_ws(',', c.n, d.sequence, d.delivery_id), ';')
  FROM unnest(accounts, webhooks, kinds, sequences, ids) WITH ORDINALITY
    AS c (account_id, webhook_id, kind, sequence, id, n)
  CROSS JOIN LATERAL (
    SELECT q.sequence, q.delivery_id FROM delivery_queue q
    WHERE q.account_id = c.account_id AND q.webhook_id = c.webhook_id AND q.kind = c.kind
      AND (q.sequence, q.delivery_id) >= (c.sequence, c.id) AND q.claimer IS NULL
    ORDER BY q.account_id, q.webhook_id, q.kind, q.sequence, q.delivery_id
    LIMIT most
  ) d
$$;
