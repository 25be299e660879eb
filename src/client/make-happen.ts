import type { EventType } from '../webhooks/events/types'
import type { Api } from './api'

/** All that is made stands in this project, which can be deleted with it. */
const PROJECT = 'arden trigger'

/**
 * Makes an event of the type happen by what a client would do, and answers the id of the record it is about.
 * @throws {StartError} when the API refuses.
 */
export const makeHappen = async (api: Api, type: EventType): Promise<string> => {
  const make = async (path: string, body: object) =>
    (await api.call<{ data: { id: string } }>('POST', path, body)).data.id
  const article = async () =>
    make('/articles', { project_id: await project(api), title: `Made by ${PROJECT}`, body: '' })
  // A project has a keyword only once.
  const keyword = async () =>
    make(`/projects/${await project(api)}/keywords`, {
      keyword: `example ${crypto.randomUUID().slice(0, 8)}`,
      tracked: true,
    })
  switch (type) {
    case 'article.created':
      return article()
    case 'article.updated': {
      const id = await article()
      await api.call('PATCH', `/articles/${id}`, { title: `Changed by ${PROJECT}` })
      return id
    }
    case 'article.published': {
      const id = await article()
      await api.call('PATCH', `/articles/${id}`, { status: 'PUBLISHED' })
      return id
    }
    case 'article.deleted': {
      const id = await article()
      await api.call('DELETE', `/articles/${id}`)
      return id
    }
    case 'keyword.created':
      return keyword()
    case 'keyword.ranked': {
      const id = await keyword()
      await api.call('POST', `/keywords/${id}/rankings`, { position: 7 })
      return id
    }
    case 'generation.started':
    case 'generation.completed':
      return make('/generations', { keyword_id: await keyword() })
    case 'generation.failed':
      return make('/generations', {
        keyword_id: await keyword(),
        // Test mode does as it is told (docs/api.md, "Generations").
        instructions: 'fail: provider_refused',
      })
  }
}

const project = async (api: Api): Promise<string> => {
  type Project = { id: string; name: string }
  const { data } = await api.call<{ data: Project[] }>('GET', '/projects?limit=100')
  const known = data.find(({ name }) => name === PROJECT)
  if (known !== undefined) return known.id
  const made = await api.call<{ data: Project }>('POST', '/projects', { name: PROJECT })
  return made.data.id
}
