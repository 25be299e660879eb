-- Counts a request of a user of the dashboard against the rate limit: in a window that begins with the first request, at
-- most `max_requests` are accepted.
--
--   person         id of the user
--   max_requests   requests in one window
--   window_length  length of the window
--
-- Returns: one row, with
--   accepted     whether the request is accepted
--   free         requests that are left after it
--   free_in      whole seconds until the window ends
--
-- One row for each user, unlike the exact window of admit.sql: pages send many requests at once, and nothing is billed by
-- them.
--
-- Locks: the person_windows row of the user until the transaction ends.
-- Called by: admitSession. Contract: 3.18 Rate limit of the dashboard.
CREATE OR REPLACE FUNCTION count_person_request(person text, max_requests int, window_length interval)
RETURNS TABLE (accepted boolean, free int, free_in int)
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
  -- A crash of PostgreSQL may lose the last second of requests.
  PERFORM set_config('synchronous_commit', 'off', true);

  RETURN QUERY
  INSERT INTO person_windows AS w (person_id, began_at, requests)
  VALUES (person, clock_timestamp(), 1)
  ON CONFLICT (person_id) DO UPDATE SET
    -- A window that begins after now is of a clock that was set back.
    began_at = CASE
      WHEN abs(extract(epoch FROM EXCLUDED.began_at - w.began_at)) < extract(epoch FROM window_length) THEN w.began_at
      ELSE EXCLUDED.began_at
    END,
    -- One more than the limit stands for any number of refused requests.
    requests = CASE
      WHEN abs(extract(epoch FROM EXCLUDED.began_at - w.began_at)) < extract(epoch FROM window_length)
        THEN least(w.requests, max_requests) + 1
      ELSE 1
    END
  RETURNING w.requests <= max_requests, greatest(max_requests - w.requests, 0),
    greatest(ceil(extract(epoch FROM w.began_at + window_length - clock_timestamp())), 1)::int;
END $$;
