-- Claims due deliveries for a dispatcher, which starts a Temporal workflow for each.
--
--   batch       most deliveries to claim
--   lease       how long the claim lasts; a delivery that is not handed over by then is due again
--   look_ahead, alive_for, default_slots
--               see choose_deliveries()
--
-- Returns: what starting a workflow needs of each delivery.
-- Locks: the advisory lock of choose_deliveries(), and the claimed rows. A delivery whose row is locked by another
-- transaction is skipped. Called by: deliveryOutbox.claim. Contract: 5.8 At least once.
CREATE OR REPLACE FUNCTION claim_deliveries(
  batch int, lease interval, look_ahead interval, alive_for interval, default_slots int
)
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
  -- A claim that a crash of PostgreSQL loses does no harm: starting a workflow that was started changes nothing.
  PERFORM set_config('synchronous_commit', 'off', true);
  chosen := ARRAY(
    SELECT c.id FROM choose_deliveries(batch, look_ahead, NULL, '{}', '{}', alive_for, default_slots) c
  );
  RETURN QUERY
  WITH due AS MATERIALIZED (
    -- Each row is looked up by its id alone: a plan made while nothing was due would read all due deliveries for each
    -- of them. LIMIT keeps the condition out of the look-up.
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
