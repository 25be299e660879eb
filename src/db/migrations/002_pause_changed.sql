-- The last pause or resume of all deliveries: the count of automatic disabling restarts then, for every webhook.
ALTER TABLE deployment ADD COLUMN pause_changed_at timestamptz;
