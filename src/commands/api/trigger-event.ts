import type { Arden, EventType } from '@arden/sdk'

/** The project of all records that this creates; deleting it deletes them. */
const PROJECT = 'arden trigger'

/**
 * Triggers an event of the type with the calls that a client would make.
 * @returns the id of the record that the event is about.
 */
export const triggerEvent = async (api: Arden, type: EventType): Promise<string> => {
  switch (type) {
    case 'article.created':
      return createArticle(api)
    case 'article.updated': {
      const id = await createArticle(api)
      const body = { title: `Changed by ${PROJECT}` }
      await api.patch('/articles/{id}', { path: { id }, body })
      return id
    }
    case 'article.published': {
      const id = await createArticle(api)
      await api.patch('/articles/{id}', { path: { id }, body: { status: 'PUBLISHED' } })
      return id
    }
    case 'article.deleted': {
      const id = await createArticle(api)
      await api.delete('/articles/{id}', { path: { id } })
      return id
    }
    case 'keyword.created':
      return createKeyword(api)
    case 'keyword.ranked': {
      const id = await createKeyword(api)
      await api.post('/keywords/{id}/rankings', { path: { id }, body: { position: 7 } })
      return id
    }
    case 'generation.started':
    case 'generation.completed':
      return createGeneration(api)
    case 'generation.failed':
      // In test mode these instructions make the generation fail (docs/api.md).
      return createGeneration(api, { instructions: 'fail: provider_refused' })
  }
}

const createArticle = async (api: Arden): Promise<string> => {
  const project_id = await findOrCreateProject(api)
  const body = { project_id, title: `Made by ${PROJECT}`, body: '' }
  return (await api.post('/articles', { body })).data.id
}

const createKeyword = async (api: Arden): Promise<string> => {
  const id = await findOrCreateProject(api)
  // Random, because the keywords of a project are unique.
  const keyword = `example ${crypto.randomUUID().slice(0, 8)}`
  const body = { keyword, tracked: true }
  return (await api.post('/projects/{id}/keywords', { path: { id }, body })).data.id
}

const createGeneration = async (api: Arden, options = {}): Promise<string> => {
  const body = { keyword_id: await createKeyword(api), ...options }
  return (await api.post('/generations', { body })).data.id
}

const findOrCreateProject = async (api: Arden): Promise<string> => {
  for await (const { id, name } of api.list('/projects', { query: { limit: 100 } }))
    if (name === PROJECT) return id
  return (await api.post('/projects', { body: { name: PROJECT } })).data.id
}
