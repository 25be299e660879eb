-- The role and the database of Arden, for psql as a superuser, once. POSTGRES_ARDEN_PASSWORD is the role's password.
-- The role owns this database, and may see how long the sessions of others last; it has no other privilege.
\getenv password POSTGRES_ARDEN_PASSWORD
\if :{?password}
\else
  DO $$ BEGIN RAISE EXCEPTION 'POSTGRES_ARDEN_PASSWORD is not set. Export it first; sudo needs --preserve-env=POSTGRES_ARDEN_PASSWORD.'; END $$;
\endif
CREATE ROLE arden LOGIN PASSWORD :'password';
CREATE DATABASE arden OWNER arden;
REVOKE ALL ON DATABASE arden FROM PUBLIC;
-- Only a metric needs it, and managed servers can refuse it.
DO $$
  BEGIN
    GRANT pg_read_all_stats TO arden;
  EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'arden does not see the sessions of other roles: %', SQLERRM;
  END
$$;
