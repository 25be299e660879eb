-- All that an attempt needs to know of a delivery and its webhook, at this moment.
--
-- Read by: loadDelivery, and loadDeliveries through load_deliveries(). Locks: none.
-- Contract: 5.9 URL and secret of an attempt.
CREATE OR REPLACE VIEW deliveries_to_send AS
SELECT d.id, d.account_id, d.mode, d.run, d.status, d.attempt_count, d.attempt_limit, d.http_status, d.error,
  d.next_attempt_at, d.test, d.event_type, d.event_id, e.body, d.webhook_id,
  w.url, w.enabled, w.ordered, w.deleted, w.paused, w.failing_since IS NOT NULL AS failing,
  w.secret, w.previous_secret, w.previous_secret_until, w.headers
FROM deliveries d JOIN events e ON e.id = d.event_id JOIN webhook_states w ON w.id = d.webhook_id;
