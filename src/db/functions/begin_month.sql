-- Trigger of api_key_windows: notes the number of a key's first request in a UTC month. Accepted requests are numbered
-- without gaps, so the requests of the month need no counting: last_n - month_first_n + 1.
--
-- Returns: the row with month_end and month_first_n set. Locks: none beyond the row that is updated.
-- Called by: PostgreSQL, when admit() updates the row in a new month. Read by: getUsage. Contract: 6.10 Usage.
CREATE OR REPLACE FUNCTION begin_month() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.month_end := (usage_month(NEW.last_at) + interval '1 month') AT TIME ZONE 'UTC';
  NEW.month_first_n := OLD.last_n + 1;
  RETURN NEW;
END $$;

-- The function runs once per month and key. Other requests only evaluate the condition, which is kept cheap because
-- every request pays for it.
CREATE OR REPLACE TRIGGER begin_month BEFORE UPDATE OF last_n ON api_key_windows
  FOR EACH ROW WHEN (NEW.last_at >= OLD.month_end)
  EXECUTE FUNCTION begin_month();
