import type { Page } from 'playwright-core'
import type { Role } from '../../../src/people/schema'
import type { Client } from '../client'
import { type Dashboard, startDashboard } from './dashboard'

/** Articles of one project, and the page that each is written on. */
export type Writing = {
  dashboard: Dashboard
  api: Client
  /** The project's id. */
  project: string
  /** Answers its id. */
  newArticle: (title: string, body?: string) => Promise<string>
  /** As the API has it. */
  article: (id: string) => Promise<{ title: string; body: string; status: string }>
  open: (id: string, role?: Role) => Promise<Page>
}

export const startWriting = async (): Promise<Writing> => {
  const dashboard = await startDashboard()
  const api = await dashboard.client()
  const project = (await api.post('/projects', { name: 'Coffee' })).body.data.id
  return {
    dashboard,
    api,
    project,
    newArticle: async (title, body = '') =>
      (await api.post('/articles', { project_id: project, title, body })).body.data.id,
    article: async id => (await api.get(`/articles/${id}`)).body.data,
    open: (id, role = 'owner') => dashboard.open(`/live/articles/${id}`, { role }),
  }
}

export const bodyOf = (page: Page) => page.getByLabel('Text, in Markdown')
export const previewOf = (page: Page) => page.getByRole('region', { name: 'Preview' })
