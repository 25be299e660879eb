-- Controls for incidents: pause and resume, the end of webhooks that only fail, what never arrived.

ALTER TABLE webhooks
  -- While set, nothing is sent to it; what is due waits.
  ADD COLUMN paused_at timestamptz,
  -- Of the first delivery that ended FAILED since the last one that was DELIVERED.
  ADD COLUMN failing_since timestamptz;

-- While set, nothing is sent to anyone.
ALTER TABLE deployment ADD COLUMN paused_at timestamptz;

-- 'system': what Arden does by itself.
ALTER TABLE audit_entries
  DROP CONSTRAINT audit_entries_actor_type_check,
  ADD CONSTRAINT audit_entries_actor_type_check
    CHECK (actor_type IN ('key', 'user', 'cli', 'system'));

-- The deliveries of all webhooks of an account, and apart from the many that arrived, those that did not.
CREATE INDEX deliveries_tenant ON deliveries (account_id, mode, id DESC);
CREATE INDEX deliveries_not_delivered ON deliveries (account_id, mode, status, id DESC)
  WHERE status <> 'DELIVERED';
