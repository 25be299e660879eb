-- What may be sent to a webhook, at this moment: its columns, and the rules that combine several of them.
--
--   deleted        sending to it ends, and what waits ends FAILED
--   paused         by itself or with all others: nothing is sent, and what waits stays
--   failing_since  when the first delivery ended FAILED since the last one that was DELIVERED; NULL while it works.
--                  The column of `webhooks` does not count while recovered_webhooks has the same time, nor when all
--                  deliveries were paused or resumed since: that writes no webhook, so no locked row can delay it.
--
-- Locks: none; a SELECT ... FOR UPDATE locks rows of `webhooks`.
-- Read by: deliveries_to_send, claim_deliveries(), record_attempts(), disableIfFailing, reportWebhookHealth, readState.
-- Contract: 4.12 Pause and resume, 4.13 Automatic disabling.
CREATE OR REPLACE VIEW webhook_states AS
SELECT w.id, w.account_id, w.mode, w.url, w.enabled, w.ordered,
  w.deleted_at IS NOT NULL AS deleted,
  w.paused_at IS NOT NULL OR (SELECT d.paused_at IS NOT NULL FROM deployment d) AS paused,
  CASE WHEN w.failing_since > (
    SELECT coalesce(d.pause_changed_at, '-infinity') FROM deployment d
  ) AND NOT EXISTS (
    SELECT FROM recovered_webhooks r WHERE r.webhook_id = w.id AND r.failing_since = w.failing_since
  ) THEN w.failing_since END AS failing_since,
  w.secret, w.previous_secret, w.previous_secret_until, w.headers
FROM webhooks w;
