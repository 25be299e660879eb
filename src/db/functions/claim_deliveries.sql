-- Claims rows of delivery_queue for a lane or a dispatcher.
--
--   claimer  the caller, with a lease in `claimers`
--   accounts, webhooks, kinds, sequences, ids
--            the rows to claim
--   floors   of a row in an order: a sequence number before which all deliveries of the webhook are final, as far as
--            the caller knows. It saves reading index entries of finished deliveries.
--
-- Returns: a letter for each row, in their order:
--   c  claimed
--   u  claimed, and the webhook is not ordered any more: all of its deliveries can be claimed
--   p  not claimed, because the webhook is paused
--   b  not claimed, because an earlier delivery of the order is not final
--   g  not claimed: another claimer has it, or it is final
-- NULL where nothing was claimed, because the lease of the caller has ended or all deliveries are paused. The result is
-- short, so that a caller that does not read it cannot delay the end of the transaction.
--
-- An earlier delivery of an order that is not visible is final, for numbers are assigned in commit order. A final one
-- stays final, so no lock is needed to see that a delivery is the first.
--
-- Locks: the row of the caller in `claimers` (FOR KEY SHARE: a claimer that is being released claims nothing more) and
-- the claimed rows. A row that another transaction has locked is skipped, so a claim waits for no other.
-- Called by: claimDeliveries. Contract: 4.12 Pause and resume, 5.8 At least once, 5.12 Ordered delivery.
CREATE OR REPLACE FUNCTION claim_deliveries(
  claimer uuid, accounts text[], webhooks text[], kinds smallint[], sequences bigint[], ids text[], floors bigint[]
)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  caller uuid := claimer;
  outcomes text;
BEGIN
  -- What a crash of PostgreSQL loses of this is claimed again at once instead of a little later.
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM FROM claimers c WHERE c.id = caller AND c.until > clock_timestamp() FOR KEY SHARE;
  IF NOT FOUND OR (SELECT d.paused_at IS NOT NULL FROM deployment d) THEN
    RETURN NULL;
  END IF;

  WITH requested AS MATERIALIZED (
    SELECT * FROM unnest(accounts, webhooks, kinds, sequences, ids, floors) WITH ORDINALITY
      AS r (account_id, webhook_id, kind, sequence, id, floor, n)
  ),
  state AS MATERIALIZED (
    -- Not `w.paused`, which a pause of all deliveries sets too, after the statement above: its end announces no webhook.
    SELECT w.id, w.ordered AND NOT w.deleted AS ordered,
      (SELECT h.paused_at IS NOT NULL FROM webhooks h WHERE h.id = w.id) AS paused
    FROM (SELECT DISTINCT r.webhook_id FROM requested r) r
    CROSS JOIN LATERAL (SELECT * FROM webhook_states w WHERE w.id = r.webhook_id LIMIT 1) w
  ),
  permitted AS MATERIALIZED (
    SELECT r.*, CASE
      WHEN r.kind = 0 THEN 'c'
      WHEN s.paused THEN 'p'
      WHEN r.kind <> 1 THEN 'c'
      WHEN NOT s.ordered THEN 'u'
      WHEN EXISTS (
        SELECT FROM delivery_queue e
        WHERE e.account_id = r.account_id AND e.webhook_id = r.webhook_id AND e.kind = ANY ('{0,1,4}')
          AND e.sequence >= greatest(1, r.floor) AND e.sequence < r.sequence
      ) THEN 'b'
      ELSE 'c'
    END AS outcome
    FROM requested r JOIN state s ON s.id = r.webhook_id
  ),
  free AS MATERIALIZED (
    -- LIMIT keeps the condition out of the look-up, which is by the key alone.
    SELECT p.*, q.place FROM permitted p CROSS JOIN LATERAL (
      SELECT q.ctid AS place, q.claimer FROM delivery_queue q
      WHERE q.account_id = p.account_id AND q.webhook_id = p.webhook_id AND q.kind = p.kind
        AND q.sequence = p.sequence AND q.delivery_id = p.id
      LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    ) q
    WHERE p.outcome IN ('c', 'u') AND q.claimer IS NULL
  ),
  claimed AS (
    UPDATE delivery_queue q SET claimer = caller FROM free f WHERE q.ctid = f.place RETURNING f.n
  )
  SELECT string_agg(CASE
    WHEN p.outcome IN ('c', 'u') AND c.n IS NULL THEN 'g' ELSE coalesce(p.outcome, 'g')
  END, '' ORDER BY r.n)
  INTO outcomes
  FROM requested r LEFT JOIN permitted p USING (n) LEFT JOIN claimed c USING (n);
  RETURN outcomes;
END $$;
