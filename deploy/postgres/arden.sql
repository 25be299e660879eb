-- The role and the database of Arden, for psql as a superuser, once. POSTGRES_ARDEN_PASSWORD is the role's password.
-- The role owns this database and has no other privilege.
\getenv password POSTGRES_ARDEN_PASSWORD
CREATE ROLE arden LOGIN PASSWORD :'password';
CREATE DATABASE arden OWNER arden;
REVOKE ALL ON DATABASE arden FROM PUBLIC;
