import { useArden } from '../arden'
import type { Client } from '../client'

/** Arden without a worker, and what tests of projects, keywords, rankings and articles ask of it. */
export const useContent = async () => {
  const arden = await useArden({ serve: true })
  const live = await arden.client()

  const newProject = async (as: Client = live) =>
    (await as.post('/projects', { name: 'Blog' })).body.data
  return {
    arden,
    live,
    newProject,
    /** In a project of its own. */
    newKeyword: async (body: object = {}, as: Client = live) => {
      const { id } = await newProject(as)
      return (await as.post(`/projects/${id}/keywords`, { keyword: 'cold brew', ...body })).body
        .data
    },
    rank: (id: string, body: object, as: Client = live) =>
      as.post(`/keywords/${id}/rankings`, body),
    /** The events so far that name this keyword or article, oldest first: type and data. */
    eventsOf: async (id: string) => {
      const rows = await arden.sql<{ body: string }[]>`
        SELECT body FROM events WHERE body::jsonb -> 'data' @> any (ARRAY[
          jsonb_build_object('keyword_id', ${id}::text), jsonb_build_object('article_id', ${id}::text)
        ]) ORDER BY id`
      return rows.map(row => JSON.parse(row.body)).map(({ event, data }) => ({ event, data }))
    },
  }
}

/** A day of January 2026, at midnight. */
export const day = (n: number) => `2026-01-${String(n).padStart(2, '0')}T00:00:00.000Z`
