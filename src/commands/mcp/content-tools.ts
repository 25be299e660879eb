import { t } from 'elysia'
import { ArticleChanges, NewArticle } from '../../content/articles/schema'
import { Approval, GenerationStatus, NewGeneration } from '../../content/generations/schema'
import { KeywordChanges, NewKeyword } from '../../content/keywords/schema'
import { NewProject, ProjectChanges } from '../../content/projects/schema'
import { searchQuery } from '../../http/request/paging'
import { Id } from '../../http/schema'
import { pageMembers, type Tool, tool, withLimit } from './tool'

const project = { id: Id('prj', 'The id of the project.') }
const keyword = { id: Id('kw', 'The id of the keyword.') }
const article = { id: Id('art', 'The id of the article.') }
const generation = { id: Id('gen', 'The id of the generation.') }

const ofProjectOrKeyword = {
  project_id: t.Optional(Id('prj', 'Only of this project.')),
  keyword_id: t.Optional(Id('kw', 'Only of this keyword.')),
}

/** The API has the list of countries. */
type Country = 'US'

export const projectTools: readonly Tool[] = [
  tool(
    'list_projects',
    'read',
    'List projects.',
    { ...pageMembers, ...searchQuery('`name` or `domain`') },
    (api, query) => api.get('/projects', { query: withLimit(query) }),
  ),
  tool(
    'get_project',
    'read',
    'Get a project.',
    project,
    async (api, path) => (await api.get('/projects/{id}', { path })).data,
  ),
  tool(
    'create_project',
    'create',
    'Create a project.',
    NewProject.properties,
    async (api, body) => (await api.post('/projects', { body })).data,
  ),
  tool(
    'update_project',
    'change',
    'Change a project.',
    { ...project, ...ProjectChanges.properties },
    async (api, { id, ...body }) =>
      (await api.patch('/projects/{id}', { path: { id }, body })).data,
  ),
  tool(
    'delete_project',
    'change',
    'Delete a project with its keywords, articles and generations, permanently. Ask the user first.',
    project,
    async (api, path) => (await api.delete('/projects/{id}', { path })).data,
  ),
]

export const keywordTools: readonly Tool[] = [
  tool(
    'list_keywords',
    'read',
    'List the keywords of a project.',
    {
      project_id: Id('prj', 'The id of the project.'),
      ...pageMembers,
      ...searchQuery('`keyword`'),
    },
    (api, { project_id: id, ...query }) =>
      api.get('/projects/{id}/keywords', { path: { id }, query: withLimit(query) }),
  ),
  tool(
    'get_keyword',
    'read',
    'Get a keyword.',
    keyword,
    async (api, path) => (await api.get('/keywords/{id}', { path })).data,
  ),
  tool(
    'list_rankings',
    'read',
    'List the rankings of a keyword: its positions in search results over time.',
    { ...keyword, ...pageMembers },
    (api, { id, ...query }) =>
      api.get('/keywords/{id}/rankings', { path: { id }, query: withLimit(query) }),
  ),
  tool(
    'create_keyword',
    'create',
    'Create a keyword in a project.',
    { project_id: Id('prj', 'The id of the project.'), ...NewKeyword.properties },
    async (api, { project_id: id, country, ...body }) =>
      (
        await api.post('/projects/{id}/keywords', {
          path: { id },
          body: { ...body, ...(country !== undefined && { country: country as Country }) },
        })
      ).data,
  ),
  tool(
    'update_keyword',
    'change',
    'Change a keyword. Once it has rankings, only `tracked`, `tags` and its spelling can change.',
    { ...keyword, ...KeywordChanges.properties },
    async (api, { id, country, ...body }) =>
      (
        await api.patch('/keywords/{id}', {
          path: { id },
          body: { ...body, ...(country !== undefined && { country: country as Country }) },
        })
      ).data,
  ),
  tool(
    'delete_keyword',
    'change',
    'Delete a keyword permanently.',
    keyword,
    async (api, path) => (await api.delete('/keywords/{id}', { path })).data,
  ),
]

export const generationTools: readonly Tool[] = [
  tool(
    'list_generations',
    'read',
    'List generations: articles that are being written, or were.',
    {
      ...pageMembers,
      ...searchQuery('`keyword`'),
      ...ofProjectOrKeyword,
      status: t.Optional(GenerationStatus),
    },
    (api, query) => api.get('/generations', { query: withLimit(query) }),
  ),
  tool(
    'get_generation',
    'read',
    'Get a generation: its status, its progress, its outline, its steps with what they have written so far, and the id of its article.',
    generation,
    async (api, path) => (await api.get('/generations/{id}', { path })).data,
  ),
  tool(
    'create_generation',
    'create',
    'Generate an article for a keyword. It runs in the background: read it with get_generation until it is COMPLETED or FAILED. With a live key it counts against the monthly plan.',
    NewGeneration.properties,
    async (api, body) => (await api.post('/generations', { body })).data,
  ),
  tool(
    'approve_outline',
    'create',
    'Approve the outline of a generation that is AWAITING_APPROVAL, as it is or changed. Ask the user first.',
    { ...generation, ...Approval.properties },
    async (api, { id, ...body }) =>
      (await api.post('/generations/{id}/approve', { path: { id }, body })).data,
  ),
  tool(
    'retry_generation',
    'create',
    'Retry a generation that is FAILED. Finished steps are not written again. With a live key it counts against the monthly plan.',
    generation,
    async (api, path) => (await api.post('/generations/{id}/retry', { path })).data,
  ),
  tool(
    'cancel_generation',
    'change',
    'Cancel a generation that has not ended.',
    generation,
    async (api, path) => (await api.post('/generations/{id}/cancel', { path })).data,
  ),
]

export const articleTools: readonly Tool[] = [
  tool(
    'list_articles',
    'read',
    'List articles, without their text. get_article has it.',
    {
      ...pageMembers,
      ...searchQuery('`title` or `slug`'),
      ...ofProjectOrKeyword,
      status: t.Optional(ArticleChanges.properties.status),
    },
    async (api, query) => {
      const { data, next_cursor } = await api.get('/articles', { query: withLimit(query) })
      return { data: data.map(({ body, ...one }) => one), next_cursor }
    },
  ),
  tool(
    'get_article',
    'read',
    'Get an article with its text.',
    article,
    async (api, path) => (await api.get('/articles/{id}', { path })).data,
  ),
  tool(
    'create_article',
    'create',
    'Create an article, by default as a draft. As PUBLISHED it is published at once.',
    NewArticle.properties,
    async (api, body) => (await api.post('/articles', { body })).data,
  ),
  tool(
    'update_article',
    'change',
    'Change an article. `status` PUBLISHED publishes it, DRAFT makes it a draft again.',
    { ...article, ...ArticleChanges.properties },
    async (api, { id, ...body }) =>
      (await api.patch('/articles/{id}', { path: { id }, body })).data,
  ),
  tool(
    'delete_article',
    'change',
    'Delete an article permanently.',
    article,
    async (api, path) => (await api.delete('/articles/{id}', { path })).data,
  ),
]
