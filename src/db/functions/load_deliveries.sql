-- All that the attempts of these deliveries need.
--
-- Returns: rows of deliveries_to_send.
-- Locks: none. Called by: loadDeliveries. Contract: 5.9 URL and secret of an attempt.
CREATE OR REPLACE FUNCTION load_deliveries(ids text[])
RETURNS SETOF deliveries_to_send
LANGUAGE sql VOLATILE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
  SELECT d.* FROM unnest(ids) AS i (id)
  CROSS JOIN LATERAL (SELECT * FROM deliveries_to_send d WHERE d.id = i.id LIMIT 1) d
$$;
