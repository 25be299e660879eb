-- Chooses up to `batch` due deliveries, the next in turn first, so that no webhook can use up the slots of the workers.
-- A slot is one attempt that a worker makes at a time.
--
--   batch       most deliveries to choose
--   look_ahead  a delivery with a check_at nearer than this has an attempt in progress now. A workflow that waits for
--               its next attempt has a later one, and uses no slot.
--   lane        the calling lane; NULL for a dispatcher that starts workflows
--   leased, leased_webhooks
--               deliveries that the calling lane has in progress, leased_webhooks[i] being the webhook of leased[i].
--               They count as in progress and are not chosen again. The same holds for those of all other lanes, which
--               are read from `lanes`.
--   alive_for   a worker without a heartbeat for this long has no slots
--   default_slots
--               slots of all workers together where none is alive
--
-- Returns: ids of deliveries and their webhooks, in turn. They are not claimed yet.
--
-- Each webhook may have as many attempts in progress as its share:
--  - half of what is free of a quarter of all slots, and at least one. One webhook alone gets 166 of 2,000 slots, and
--    200 webhooks that never respond get two or three each: however many there are, most slots stay free, also for
--    their retries, which are not limited here. For a lane it is half of all slots, and one webhook alone gets 333:
--    retries take no slots of a lane, and larger claims cost less for each delivery.
--  - at least a thirty-second of what is free of half of all slots, where none of its attempts has lasted for 5 s. It
--    keeps up even while webhooks that do not respond use up the share above.
--  - one, where it is slow (slow_webhooks). All slow webhooks together get an eighth of all slots; one each could
--    otherwise fill every slot.
-- A webhook with nothing in progress comes before those that have something, and of equals the one with the least
-- waiting.
--
-- Of an ordered webhook only the first delivery that is not final is chosen. The order counts as due since that
-- delivery was created, so that a backlog of redeliveries does not delay it.
--
-- Locks: advisory lock 4170512 until the transaction ends, so claims run one after another. It is taken by a statement
-- of its own, so that the next statement sees what earlier claims committed. (4170511 is the lock of `migrate`.)
-- Called by: claim_deliveries(), claim_for_lane(). Contract: 4.12 Pause and resume, 5.12 Ordered delivery.
CREATE OR REPLACE FUNCTION choose_deliveries(
  batch int, look_ahead interval, lane uuid, leased text[], leased_webhooks text[],
  alive_for interval, default_slots int
)
RETURNS TABLE (id text, webhook_id text)
LANGUAGE plpgsql VOLATILE
-- A plan made while the table was empty would read all of it once it is not.
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
-- With a million deliveries, starting parallel workers took 8 ms for what takes 1 ms without.
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

  SELECT coalesce(sum(w.slots), default_slots) INTO slots_of_all
  FROM workers w WHERE w.seen_at > started - alive_for;

  SELECT leased || coalesce(array_agg(x.id), '{}'), leased_webhooks || coalesce(array_agg(x.webhook_id), '{}')
  INTO leased, leased_webhooks
  FROM lanes l, unnest(l.delivery_ids, l.webhook_ids) AS x (id, webhook_id)
  WHERE l.until > started AND l.id IS DISTINCT FROM lane;

  SELECT greatest(1, (slots_of_all / CASE WHEN lane IS NULL THEN 4 ELSE 2 END - u.n) / 2),
    (slots_of_all / 2 - u.n) / 32
  INTO share, quick_share
  FROM (
    SELECT count(*) + cardinality(leased) AS n FROM deliveries d
    WHERE d.check_at <= started + look_ahead
  ) u;

  SELECT greatest(1, slots_of_all / 8) - (
    SELECT count(*) FROM deliveries d
    WHERE d.check_at <= started + look_ahead AND d.webhook_id IN (SELECT s.webhook_id FROM slow_webhooks s)
  ) - (
    SELECT count(*) FROM slow_webhooks s JOIN deliveries d ON d.webhook_id = s.webhook_id
    WHERE d.due_at > started AND d.due_at < 'infinity'
  ) - (
    SELECT count(*) FROM unnest(leased_webhooks) AS x (webhook_id)
    WHERE x.webhook_id IN (SELECT s.webhook_id FROM slow_webhooks s)
  )
  INTO slow_room;

  RETURN QUERY
  -- The webhooks with due deliveries: one probe of deliveries_due for each.
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
  in_progress AS MATERIALIZED (
    SELECT u.webhook_id, count(*) AS n, bool_or(u.is_late) AS is_late FROM (
      SELECT d.webhook_id, d.check_at <= started + look_ahead - interval '5 seconds' AS is_late
      FROM deliveries d WHERE d.check_at <= started + look_ahead
      UNION ALL
      SELECT x.webhook_id, false FROM unnest(leased_webhooks) AS x (webhook_id)
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
        -- Claimed, and not handed over to Temporal yet.
        SELECT count(*) FROM deliveries d
        WHERE d.webhook_id = walk.webhook_id AND d.due_at > started AND d.due_at < 'infinity'
      ) AS n,
      -- Nothing is sent to a deleted webhook: its waiting deliveries end, and need no order for that.
      w.ordered AND NOT w.deleted AS ordered
    FROM walk
    JOIN webhook_states w ON w.id = walk.webhook_id AND NOT w.paused
    LEFT JOIN in_progress u ON u.webhook_id = walk.webhook_id
    LEFT JOIN slow_webhooks slow ON slow.webhook_id = walk.webhook_id
    WHERE walk.due_at <= started
      -- Not EXISTS, for which the planner would read all deliveries that wait in any order.
      OR (SELECT true FROM deliveries d WHERE d.webhook_id = walk.webhook_id AND d.due_at = 'infinity' LIMIT 1)
  ),
  free AS MATERIALIZED (
    -- Where many webhooks wait, two deliveries of each are enough to choose from.
    SELECT busy.*, least(busy.cap - busy.n, CASE
      WHEN (SELECT count(*) FROM busy o WHERE o.n < o.cap) >= batch THEN 2 ELSE batch
    END) AS room
    FROM busy WHERE busy.n < busy.cap
  ),
  candidate AS (
    SELECT d.id, d.webhook_id, d.due_at, free.is_slow,
      free.n + row_number() OVER (PARTITION BY d.webhook_id ORDER BY d.due_at) AS position,
      count(*) OVER (PARTITION BY d.webhook_id) AS waiting
    FROM free CROSS JOIN LATERAL (
      (
        SELECT d.id, d.webhook_id, d.due_at FROM deliveries d
        WHERE d.webhook_id = free.webhook_id AND d.due_at <= started
          AND d.id NOT IN (SELECT x.id FROM unnest(leased) AS x (id))
        ORDER BY d.due_at LIMIT free.room
      )
      UNION ALL
      -- Of an order the first delivery that is not final, if it waits for its first turn. Where the webhook is not
      -- ordered any more, all that wait for theirs.
      SELECT f.id, f.webhook_id, f.created_at FROM (
        SELECT d.id, d.webhook_id, d.created_at, d.due_at FROM deliveries d
        WHERE d.webhook_id = free.webhook_id AND d.sequence IS NOT NULL AND d.status = 'RETRYING'
          AND (free.ordered OR d.due_at = 'infinity')
          AND (free.ordered OR d.id NOT IN (SELECT x.id FROM unnest(leased) AS x (id)))
        ORDER BY d.sequence LIMIT CASE WHEN free.ordered THEN 1 ELSE free.room END
      ) f
      WHERE f.due_at = 'infinity' AND f.id NOT IN (SELECT x.id FROM unnest(leased) AS x (id))
      ORDER BY 3 LIMIT free.room
    ) d
  )
  SELECT c.id, c.webhook_id FROM (
    SELECT *, row_number() OVER (PARTITION BY o.is_slow ORDER BY o.due_at) AS nth FROM candidate o
  ) c
  WHERE NOT c.is_slow OR c.nth <= slow_room
  -- Slow webhooks get a tenth of a claim, and what the others leave.
  ORDER BY c.is_slow AND c.nth > greatest(1, batch / 10), c.position, c.waiting, c.due_at
  LIMIT batch;
END $$;
