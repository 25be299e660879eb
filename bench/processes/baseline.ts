/** Routes of Elysia and the database driver alone, as baseline for the API. */
import { Elysia } from 'elysia'
import type { Tenant } from '../../src/caller'
import { listArticles } from '../../src/content/articles/store'
import { connect } from '../../src/db/connect'
import { newId } from '../../src/ids'
import { handleJobs } from '../parts/child'

export type BaselineJob = {
  databaseUrl: string
  tenant: Tenant
  projectId: string
  /** Where `POST /relayed` sends the committed event. */
  receiverUrl?: string
}

handleJobs<BaselineJob, { url: string }>(
  async ({ databaseUrl, tenant, projectId, receiverUrl = '' }) => {
    const sql = connect(databaseUrl, { name: 'baseline' })
    const insert = async (title: string, body: string) => {
      const [row] = await sql`
        INSERT INTO articles
          (id, account_id, mode, project_id, keyword_id, title, slug, body, status, published_at)
        VALUES (${newId('art')}, ${tenant.accountId}, ${tenant.mode}, ${projectId}, ${null}, ${title},
          ${title}, ${body}, 'DRAFT', ${null})
        RETURNING *`
      return row
    }
    const app = new Elysia()
      .get('/one', async () => ({ data: await sql`SELECT 1` }))
      .get('/articles', async () => listArticles(sql, tenant, {}, { limit: 20, before: null }))
      .post('/articles', async ({ body }) => {
        const { title, body: text } = body as { title: string; body: string }
        return { data: await insert(title, text) }
      })
      .post('/relayed', async ({ body }) => {
        const { title } = body as { title: string }
        const row = await insert(title, '')
        const event = { id: newId('evt'), data: { title } }
        await fetch(receiverUrl, { method: 'POST', body: JSON.stringify(event) })
        return { data: row }
      })
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: request => app.fetch(request),
    })
    return { url: `http://127.0.0.1:${server.port}` }
  },
)
