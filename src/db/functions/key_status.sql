-- The status of an API key at a point in time.
--
--   revoked_at, expires_at  of the key; NULL where it is neither revoked nor limited in time
--   at                      the time in question
--
-- Returns: active, revoked or expired; a key that is both is revoked. Locks: none. The planner inlines it.
-- Called by: admit(), isKeyActive, checkKeyLimit, listKeys and getKey, listRateLimitUsage.
-- Contract: 3.5 API key record.
CREATE OR REPLACE FUNCTION key_status(revoked_at timestamptz, expires_at timestamptz, at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN revoked_at IS NOT NULL THEN 'revoked'
  WHEN expires_at <= at THEN 'expired'
  ELSE 'active'
END;
