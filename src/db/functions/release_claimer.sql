-- Makes the rows of a claimer claimable again: of one whose lease has ended, that stops, or that lost the result of a
-- claim.
--
--   claimer  whose rows to release. It can claim nothing from then on.
--   heir     gets those of `kept`, when the same process continues under another id; else NULL
--   kept     deliveries that are in progress
--
-- Locks: the claimer's row, FOR UPDATE: while a claim of it is in progress, or another call releases it, nothing is
-- released, and `claimers` keeps it for a later call. Otherwise a claim could commit after its rows were looked for, and
-- they would belong to a claimer that does not exist. The same holds for a row of the queue that is locked by another
-- transaction. Each statement sees what was committed before it.
-- It reads the whole queue, because an index on `claimer` would cost a write for each claim.
-- Called by: releaseClaimer. Contract: 5.8 At least once.
CREATE OR REPLACE FUNCTION release_claimer(claimer uuid, heir uuid, kept text[])
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $$
#variable_conflict use_column
DECLARE
  released uuid := claimer;
BEGIN
  PERFORM FROM claimers c WHERE c.id = released FOR UPDATE SKIP LOCKED;
  IF NOT FOUND AND EXISTS (SELECT FROM claimers c WHERE c.id = released) THEN
    RETURN;
  END IF;
  UPDATE claimers c SET until = '-infinity' WHERE c.id = released;
  IF heir IS NOT NULL THEN
    UPDATE delivery_queue q SET claimer = heir
    FROM (
      SELECT o.ctid AS place FROM delivery_queue o
      WHERE o.claimer = released AND o.delivery_id = ANY (kept) FOR NO KEY UPDATE SKIP LOCKED
    ) o
    WHERE q.ctid = o.place;
  END IF;
  UPDATE delivery_queue q SET claimer = NULL, xid = pg_current_xact_id()
  FROM (
    SELECT o.ctid AS place FROM delivery_queue o
    WHERE o.claimer = released AND o.delivery_id <> ALL (kept) FOR NO KEY UPDATE SKIP LOCKED
  ) o
  WHERE q.ctid = o.place;
  DELETE FROM claimers c WHERE c.id = released
    AND NOT EXISTS (SELECT FROM delivery_queue q WHERE q.claimer = released);
END $$;
