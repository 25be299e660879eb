-- Takes one generation from this month's quota of an account, if one is left.
--
--   account  id of the account
--
-- Returns: `quota`, the generations per month of the account, and `taken`, whether one was taken.
-- Locks: row 0 of the account's month until the transaction ends, so that concurrent transactions cannot take the same
-- generation. A transaction that waited reads the sum in a later statement, and sees what the others took.
-- Called by: takeFromQuota. Contract: 6.11 Generation quota.
CREATE OR REPLACE FUNCTION take_generation(account text)
RETURNS TABLE (quota int, taken boolean) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  this_month date := usage_month(now());
BEGIN
  INSERT INTO monthly_usage (account_id, month, shard) VALUES (account, this_month, 0)
  ON CONFLICT DO NOTHING;
  PERFORM 1 FROM monthly_usage u
  WHERE u.account_id = account AND u.month = this_month AND u.shard = 0
  FOR NO KEY UPDATE;

  SELECT a.monthly_generations, a.monthly_generations > (
    SELECT sum(u.generations) FROM monthly_usage u WHERE u.account_id = account AND u.month = this_month
  )
  INTO quota, taken
  FROM accounts a WHERE a.id = account;

  IF taken THEN
    UPDATE monthly_usage u SET generations = u.generations + 1
    WHERE u.account_id = account AND u.month = this_month AND u.shard = 0;
  END IF;
  RETURN NEXT;
END $$;
