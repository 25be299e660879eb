-- Claims due deliveries for a lane, which makes their first attempts itself, and renews the lane's lease.
--
--   batch       most deliveries to claim
--   lease       how long the lane keeps all of its deliveries from now, unless it claims again
--   look_ahead, alive_for, default_slots
--               see choose_deliveries()
--   lane        the calling lane
--   leased, leased_webhooks
--               deliveries that the lane has in progress, leased_webhooks[i] being the webhook of leased[i].
--               Those that it had before and are not among them are released.
--
-- Returns: the claimed deliveries with all that an attempt needs.
-- Locks: the advisory lock of choose_deliveries(), and the lane's row. Called by: claimForLane.
-- Contract: 5.8 At least once.
CREATE OR REPLACE FUNCTION claim_for_lane(
  batch int, lease interval, look_ahead interval, lane uuid, leased text[], leased_webhooks text[],
  alive_for interval, default_slots int
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
  chosen_webhooks text[];
BEGIN
  -- What a crash of PostgreSQL loses of this is due at once instead of a little later.
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT coalesce(array_agg(c.id), '{}'), coalesce(array_agg(c.webhook_id), '{}')
  INTO chosen, chosen_webhooks
  FROM choose_deliveries(batch, look_ahead, lane, leased, leased_webhooks, alive_for, default_slots) c;

  DELETE FROM lanes l WHERE l.until < clock_timestamp() - interval '1 minute'
    OR (l.id = lane AND cardinality(leased) + cardinality(chosen) = 0);
  IF cardinality(leased) + cardinality(chosen) > 0 THEN
    INSERT INTO lanes (id, until, delivery_ids, webhook_ids)
    VALUES (lane, clock_timestamp() + lease, leased || chosen, leased_webhooks || chosen_webhooks)
    ON CONFLICT (id) DO UPDATE
    SET until = EXCLUDED.until, delivery_ids = EXCLUDED.delivery_ids, webhook_ids = EXCLUDED.webhook_ids;
  END IF;

  -- A statement of its own, which sees what was committed while this claim waited for the lock.
  RETURN QUERY SELECT * FROM deliveries_to_send d WHERE d.id = ANY (chosen);
END $$;
