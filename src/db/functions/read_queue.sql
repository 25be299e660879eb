-- Reads the rows of delivery_queue that became visible since an earlier call: what was added, released or announced
-- in between.
--
--   since   the snapshot that the earlier call returned
--   kinds   the kinds that the caller claims
--   most    rows to return. Where there are more, the result is a summary: one row for each webhook and kind, with the
--           lowest sequence and the lowest id. No row before it was added.
--
-- Returns: the snapshot, and the rows as text: account, webhook, kind, sequence and delivery, with commas between them
-- and a semicolon between rows.
--
-- A row becomes visible when the transaction in its column `xid` commits. Those that committed between two snapshots
-- are the ones that the first had as in progress, and those from its xmax on. So a transaction that commits late is not
-- missed, and index entries of finished deliveries before that are never read again, however long a snapshot that keeps
-- them from being removed stays open.
--
-- Locks: none. Called by: readQueue. Contract: 5.8 At least once.
CREATE OR REPLACE FUNCTION read_queue(since pg_snapshot, kinds smallint[], most int)
RETURNS TABLE (snapshot pg_snapshot, is_summary boolean, rows text)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  found bigint;
BEGIN
  is_summary := false;
  -- One statement, so that the snapshot is the one that the rows were read with.
  -- OFFSET 0 keeps the other conditions away from the choice of the index: where all rows are dead and a snapshot keeps
  -- them, the planner believes that each index has one entry, and could read the whole primary key by `kind`.
  SELECT pg_current_snapshot(), count(*),
    string_agg(concat_ws(',', n.account_id, n.webhook_id, n.kind, n.sequence, n.delivery_id), ';')
  INTO snapshot, found, rows
  FROM (
    SELECT q.* FROM (
      SELECT * FROM delivery_queue WHERE xid = ANY (ARRAY(SELECT pg_snapshot_xip(since)))
      UNION ALL
      SELECT * FROM delivery_queue WHERE xid >= pg_snapshot_xmax(since)
      OFFSET 0
    ) q
    WHERE q.claimer IS NULL AND q.kind = ANY (kinds)
    LIMIT most + 1
  ) n;
  IF found > most THEN
    is_summary := true;
    SELECT pg_current_snapshot(),
      string_agg(concat_ws(',', n.account_id, n.webhook_id, n.kind, n.sequence, n.delivery_id), ';')
    INTO snapshot, rows
    FROM (
      SELECT q.account_id, q.webhook_id, q.kind, min(q.sequence) AS sequence, min(q.delivery_id) AS delivery_id FROM (
        SELECT * FROM delivery_queue WHERE xid = ANY (ARRAY(SELECT pg_snapshot_xip(since)))
        UNION ALL
        SELECT * FROM delivery_queue WHERE xid >= pg_snapshot_xmax(since)
        OFFSET 0
      ) q
      WHERE q.claimer IS NULL AND q.kind = ANY (kinds)
      GROUP BY q.account_id, q.webhook_id, q.kind
    ) n;
  END IF;
  RETURN NEXT;
END $$;
