import { t } from 'elysia'
import { Body, Changes, Id, Nullable, type Of, Timestamp } from '../http/schema'

/** The shapes of content as the API shows and takes them (contract 6). */

const ProjectFields = {
  name: t.String({ minLength: 1, maxLength: 100, examples: ['Acme blog'] }),
  domain: Nullable(
    t.String({
      pattern: '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,63}$',
      maxLength: 253,
      description: 'A host name in lower case, without scheme or path.',
      examples: ['blog.acme.com'],
    }),
  ),
  language: t.String({
    pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$',
    maxLength: 35,
    description: 'BCP 47; `en` when absent.',
    examples: ['en', 'pt-BR'],
  }),
}

export const Project = t.Object({
  id: Id('prj'),
  ...ProjectFields,
  test_mode: t.Boolean(),
  created_at: Timestamp,
})
export type Project = Of<typeof Project>

export const NewProject = Body({
  name: ProjectFields.name,
  domain: t.Optional(ProjectFields.domain),
  language: t.Optional(ProjectFields.language),
})
export const ProjectChanges = Changes(ProjectFields)

const ArticleFields = {
  keyword_id: Nullable(
    t.String({ description: 'A keyword of the same project.', examples: Id('kw').examples }),
  ),
  title: t.String({ minLength: 1, maxLength: 300, examples: ['Ten ways to brew coffee'] }),
  slug: t.String({
    pattern: '^[\\p{L}\\p{N}]+(-[\\p{L}\\p{N}]+)*$',
    maxLength: 300,
    description: 'Letters and digits in groups joined by hyphens; made from the title when absent.',
    examples: ['ten-ways-to-brew-coffee'],
  }),
  body: t.String({ description: 'Markdown.', examples: ['# Ten ways\n\nGrind first.'] }),
  status: t.Union([t.Literal('DRAFT'), t.Literal('PUBLISHED')]),
}

export const Article = t.Object({
  id: Id('art'),
  project_id: Id('prj'),
  ...ArticleFields,
  published_at: Nullable(Timestamp, { examples: [null] }),
  test_mode: t.Boolean(),
  created_at: Timestamp,
})
export type Article = Of<typeof Article>

export const NewArticle = Body({
  project_id: t.String({ description: 'The project it belongs to.', examples: Id('prj').examples }),
  title: ArticleFields.title,
  keyword_id: t.Optional(ArticleFields.keyword_id),
  slug: t.Optional(ArticleFields.slug),
  body: t.Optional(ArticleFields.body),
  status: t.Optional(ArticleFields.status),
})
export const ArticleChanges = Changes(ArticleFields)
