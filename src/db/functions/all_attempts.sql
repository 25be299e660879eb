-- The attempts of all deliveries: rows of `attempts`, and the first ones that succeeded, which deliveries hold.
--
-- Locks: none. Read by: findDelivery, listAttempts.
-- Contract: 5.1 Delivery record.
CREATE OR REPLACE VIEW all_attempts AS
SELECT a.delivery_id, a.number, a.id, a.started_at, a.duration_ms, a.http_status, a.error, a.response_body,
  a.request_url, a.signatures
FROM attempts a
UNION ALL
SELECT d.id, 1, d.attempt_id, d.attempt_started_at, d.attempt_duration_ms, d.http_status, NULL, d.response_body,
  d.attempt_url, d.attempt_signatures
FROM deliveries d WHERE d.attempt_id IS NOT NULL;
