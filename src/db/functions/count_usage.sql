-- Adds to the usage of an account in a month.
--
--   account     id of the account
--   in_month    first day of the month, from usage_month()
--   generations, articles, deliveries
--               how many to add; negative to return generations to the quota
--   input_tokens, output_tokens
--               of language models
--
-- Returns: nothing. Locks: one row of monthly_usage that no other transaction has locked, or a new row. So it never
-- waits, and is safe anywhere in a transaction, in any order, without a deadlock.
-- Called by: recordEvents, returnToQuota, countTokens. Contract: 6.10 Usage.
CREATE OR REPLACE FUNCTION count_usage(account text, in_month date, generations int, articles int, deliveries int,
  input_tokens bigint DEFAULT 0, output_tokens bigint DEFAULT 0)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_variable
DECLARE
  chosen bigint;
BEGIN
  SELECT u.shard INTO chosen
  FROM monthly_usage u
  WHERE u.account_id = account AND u.month = in_month AND u.shard > 0
  ORDER BY u.shard
  LIMIT 1
  FOR NO KEY UPDATE SKIP LOCKED;

  IF FOUND THEN
    UPDATE monthly_usage u
    SET generations = u.generations + generations,
      articles = u.articles + articles,
      deliveries = u.deliveries + deliveries,
      input_tokens = u.input_tokens + input_tokens,
      output_tokens = u.output_tokens + output_tokens
    WHERE u.account_id = account AND u.month = in_month AND u.shard = chosen;
  ELSE
    INSERT INTO monthly_usage (account_id, month, generations, articles, deliveries, input_tokens, output_tokens)
    VALUES (account, in_month, generations, articles, deliveries, input_tokens, output_tokens);
  END IF;
END $$;
