-- The UTC month of a point in time, as its first day: the key of monthly_usage.
--
--   at  any time
--
-- Returns: a date. Locks: none. Called by: getUsage, takeFromQuota, returnToQuota, recordEvents.
-- Contract: 6.10 Usage.
CREATE OR REPLACE FUNCTION usage_month(at timestamptz) RETURNS date
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN date_trunc('month', at AT TIME ZONE 'UTC')::date;
