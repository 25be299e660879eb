-- The role and the databases of Temporal, for psql as a superuser, once. POSTGRES_TEMPORAL_PASSWORD is the role's
-- password. The role owns these databases and has no other privilege.
\getenv password POSTGRES_TEMPORAL_PASSWORD
\if :{?password}
\else
  DO $$ BEGIN RAISE EXCEPTION 'POSTGRES_TEMPORAL_PASSWORD is not set. Export it first; sudo needs --preserve-env=POSTGRES_TEMPORAL_PASSWORD.'; END $$;
\endif
CREATE ROLE temporal LOGIN PASSWORD :'password';
CREATE DATABASE temporal OWNER temporal;
CREATE DATABASE temporal_visibility OWNER temporal;
REVOKE ALL ON DATABASE temporal, temporal_visibility FROM PUBLIC;
