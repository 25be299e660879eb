import type { Page } from 'playwright-core'
import type { Role } from '../../../src/people/schema'
import type { Client } from '../client'
import { type Dashboard, useDashboard } from './dashboard'

/** Articles of one project, and the page that each is written on. */
type ArticlePages = {
  dashboard: Dashboard
  api: Client
  /** The project's id. */
  project: string
  /** Returns its id. */
  newArticle: (title: string, body?: string) => Promise<string>
  /** The record of the API. */
  article: (id: string) => Promise<{ title: string; body: string; status: string; version: number }>
  open: (id: string, role?: Role) => Promise<Page>
}

/** A dashboard with one project, stopped after the tests of the file. */
export const useArticlePages = async (): Promise<ArticlePages> => {
  const dashboard = await useDashboard()
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

export const bodyOf = (page: Page) => page.getByLabel('Body (Markdown)')
export const previewOf = (page: Page) => page.getByRole('region', { name: 'Preview' })
