import { t } from 'elysia'
import { Body, Changes, Id, NonBlank, Nullable, type Of, Timestamp } from '../http/schema'

/** The shapes of content as the API shows and takes them (contract 6). */

const ProjectFields = {
  name: NonBlank({ maxLength: 100, examples: ['Acme blog'] }),
  domain: Nullable(
    t.String({
      pattern:
        '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+([a-z]{2,63}|xn--([a-z0-9-]{0,58}[a-z0-9]))$',
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

export const Project = t.Object(
  {
    id: Id('prj'),
    ...ProjectFields,
    test_mode: t.Boolean(),
    created_at: Timestamp,
  },
  { title: 'Project' },
)
export type Project = Of<typeof Project>

export const NewProject = Body({
  name: ProjectFields.name,
  domain: t.Optional(ProjectFields.domain),
  language: t.Optional(ProjectFields.language),
})
export const ProjectChanges = Changes(ProjectFields)

/**
 * Whatever is no space, control or punctuation. TypeBox's patterns have no Unicode mode, so `\p{L}` would
 * mean the letters p, L and braces.
 */
const SLUG_CHARACTER =
  '[^\\s\\u0000-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00bf\\u2000-\\u206f\\u2e00-\\u2e2e\\u3000-\\u3004\\u3008-\\u3020\\u3030]'

const ArticleFields = {
  keyword_id: Nullable(
    t.String({ description: 'A keyword of the same project.', examples: Id('kw').examples }),
  ),
  title: NonBlank({ maxLength: 300, examples: ['Ten ways to brew coffee'] }),
  slug: t.String({
    pattern: `^${SLUG_CHARACTER}+(-${SLUG_CHARACTER}+)*$`,
    maxLength: 300,
    description: 'Letters and digits in groups joined by hyphens; made from the title when absent.',
    examples: ['ten-ways-to-brew-coffee'],
  }),
  body: t.String({ description: 'Markdown.', examples: ['# Ten ways\n\nGrind first.'] }),
  status: t.Union([t.Literal('DRAFT'), t.Literal('PUBLISHED')]),
}

export const Article = t.Object(
  {
    id: Id('art'),
    project_id: Id('prj'),
    ...ArticleFields,
    published_at: Nullable(Timestamp, { examples: [null] }),
    test_mode: t.Boolean(),
    created_at: Timestamp,
  },
  { title: 'Article' },
)
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
