-- Trigger of audit_entries: refuses to change or delete entries of the audit history, whatever the client is.
--
-- Returns: never; it raises an error. Locks: none. Called by: PostgreSQL, for each UPDATE, DELETE and TRUNCATE.
-- Contract: 3.11 Audit history.
CREATE OR REPLACE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit history is append-only';
END $$;

CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();
