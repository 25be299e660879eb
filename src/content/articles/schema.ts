import { t } from 'elysia'
import { withRule } from '../../http/rule'
import {
  Id,
  Integer,
  NonBlank,
  Nullable,
  OneOf,
  PatchBody,
  RequestBody,
  Time,
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

/** Characters. Search engines show about 60 of the title and 160 of the description. */
const META_TITLE_MAX = 300
const META_DESCRIPTION_MAX = 1000

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
  meta_title: Nullable(
    NonBlank({
      maxLength: META_TITLE_MAX,
      description: 'The title for search engines, which show about 60 characters of it.',
      examples: ['Ten ways to brew coffee at home'],
    }),
  ),
  meta_description: Nullable(
    NonBlank({
      maxLength: META_DESCRIPTION_MAX,
      description: 'The description for search engines, which show about 160 characters of it.',
      examples: ['From cold brew to espresso: what you need, and how long each takes.'],
    }),
  ),
  status: OneOf(['DRAFT', 'PUBLISHED'], { title: 'ArticleStatus' }),
}

/** In requests. */
const ScheduledAt = withRule(
  Nullable(
    Time({
      description: 'When the draft is published. `null` cancels that.',
      // None stays in the future.
      examples: [],
    }),
    { examples: [null] },
  ),
  (at, { status }) => {
    if (at === null) return undefined
    if (Date.parse(at) <= Date.now())
      return 'is in the past. Choose a later time, or publish the article now.'
    return status === 'PUBLISHED' ? ONLY_OF_DRAFTS : undefined
  },
)

/** Of a `scheduled_at` (contract 6.14). */
export const ONLY_OF_DRAFTS =
  'can only be set while the status is DRAFT: this article is PUBLISHED. Leave it out, or set the status to DRAFT as well.'

export const Article = t.Object(
  {
    id: Id('art'),
    project_id: Id('prj'),
    ...ArticleFields,
    published_at: Nullable(Timestamp, { examples: [null] }),
    scheduled_at: Nullable(Timestamp, {
      description: 'When the draft will be published.',
      examples: [null],
    }),
    version: Integer({ description: 'The number of the version of its text.', examples: [1] }),
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
    meta_title: t.Optional(ArticleFields.meta_title),
    meta_description: t.Optional(ArticleFields.meta_description),
    status: t.Optional(ArticleFields.status),
    scheduled_at: t.Optional(ScheduledAt),
  },
  { title: 'ArticleInput' },
)
export const ArticleChanges = PatchBody(
  { ...ArticleFields, scheduled_at: ScheduledAt },
  { title: 'ArticleChanges' },
)
