import { t } from 'elysia'
import {
  Id,
  NonBlank,
  Nullable,
  OneOf,
  PatchBody,
  RequestBody,
  Timestamp,
  type TypeOf,
} from '../../http/schema'

/** Articles as the API returns and accepts them (contract 6.4). */

/**
 * Any character except spaces, control characters and punctuation. TypeBox compiles patterns without the Unicode flag,
 * so `\p{L}` does not work.
 */
const SLUG_CHARACTER =
  '[^\\s\\u0000-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00bf\\u2000-\\u206f\\u2e00-\\u2e2e\\u3000-\\u3004\\u3008-\\u3020\\u3030]'

/** Characters. A request body of 1 MiB has no more. */
const BODY_MAX = 1024 * 1024

const ArticleFields = {
  keyword_id: Nullable(Id('kw', 'The id of a keyword of the same project.')),
  title: NonBlank({ maxLength: 300, examples: ['Ten ways to brew coffee'] }),
  slug: t.String({
    pattern: `^${SLUG_CHARACTER}+(-${SLUG_CHARACTER}+)*$`,
    maxLength: 300,
    description: 'Letters and digits in groups joined by hyphens; made from the title when absent.',
    examples: ['ten-ways-to-brew-coffee'],
  }),
  body: t.String({
    maxLength: BODY_MAX,
    description: 'Markdown.',
    examples: ['# Ten ways\n\nGrind first.'],
  }),
  status: OneOf(['DRAFT', 'PUBLISHED'], { title: 'ArticleStatus' }),
}

export const Article = t.Object(
  {
    id: Id('art'),
    project_id: Id('prj'),
    ...ArticleFields,
    published_at: Nullable(Timestamp, { examples: [null] }),
    test_mode: t.Boolean(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Article' },
)
export type Article = TypeOf<typeof Article>

export const NewArticle = RequestBody(
  {
    project_id: Id('prj', 'The id of the project it belongs to.'),
    title: ArticleFields.title,
    keyword_id: t.Optional(ArticleFields.keyword_id),
    slug: t.Optional(ArticleFields.slug),
    body: t.Optional(ArticleFields.body),
    status: t.Optional(ArticleFields.status),
  },
  { title: 'ArticleInput' },
)
export const ArticleChanges = PatchBody(ArticleFields, { title: 'ArticleChanges' })
