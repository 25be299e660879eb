import type { Sql } from '../../../src/db/connect'

type RolePrivileges = { attributes: string[]; owns: string[]; memberOf: string[] }

/** Attributes of the connected role that grant more than its databases, the databases it owns, and its memberships. */
export const rolePrivileges = async (sql: Sql): Promise<RolePrivileges> => {
  const [row] = await sql<[RolePrivileges]>`
    SELECT
      array_remove(ARRAY[
        CASE WHEN rolsuper THEN 'superuser' END,
        CASE WHEN rolcreaterole THEN 'createrole' END,
        CASE WHEN rolcreatedb THEN 'createdb' END,
        CASE WHEN rolreplication THEN 'replication' END,
        CASE WHEN rolbypassrls THEN 'bypassrls' END
      ], NULL) AS attributes,
      ARRAY(SELECT datname::text FROM pg_database WHERE datdba = pg_roles.oid ORDER BY 1) AS owns,
      ARRAY(
        SELECT roleid::regrole::text FROM pg_auth_members WHERE member = pg_roles.oid ORDER BY 1
      ) AS "memberOf"
    FROM pg_roles WHERE rolname = current_user`
  return row
}
