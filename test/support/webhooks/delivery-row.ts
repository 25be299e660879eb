import type { Sql } from '../../../src/db/connect'

// biome-ignore lint/suspicious/noExplicitAny: a row as it is in the database; tests look into it freely
export type Row = Record<string, any>

/** A row of `deliveries`, with that of the queue if there is one. */
export const deliveryRow = async (sql: Sql, id: string): Promise<Row> => {
  const [found] = await sql`
    SELECT d.*, q.kind, q.claimer, q.due_at, q.check_at
    FROM deliveries d LEFT JOIN delivery_queue q ON q.delivery_id = d.id WHERE d.id = ${id}`
  if (found === undefined) throw new Error(`no delivery ${id}`)
  return found
}
