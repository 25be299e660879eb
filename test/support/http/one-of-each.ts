import type { Client } from '../client'

/** Makes a record of each kind whose path takes a body, and returns their ids. */
export const oneOfEach = async (as: Client) => {
  const make = async (path: string, body: object): Promise<string> =>
    (await as.post(path, body)).body.data.id
  const project = await make('/projects', { name: 'p', domain: 'acme.com' })
  const keyword = await make(`/projects/${project}/keywords`, { keyword: 'k' })
  return {
    project,
    keyword,
    generation: await make('/generations', { keyword_id: keyword }),
    article: await make('/articles', { project_id: project, title: 't' }),
    webhook: await make('/webhooks', { url: 'http://127.0.0.1:9/', events: ['article.created'] }),
    key: await make('/api-keys', { name: 'k', scopes: ['read'] }),
  }
}
