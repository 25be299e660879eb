-- When a record was last changed (contract 1.11). NULL while it is as it was created: nothing is rewritten for the
-- records that exist, and an INSERT of the previous version is right.
ALTER TABLE projects ADD COLUMN updated_at timestamptz;
ALTER TABLE keywords ADD COLUMN updated_at timestamptz;
ALTER TABLE webhooks ADD COLUMN updated_at timestamptz;
ALTER TABLE api_keys ADD COLUMN updated_at timestamptz;
