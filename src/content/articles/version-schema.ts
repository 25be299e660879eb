import { t } from 'elysia'
import { Id, Integer, Nullable, OneOf, Timestamp, type TypeOf } from '../../http/schema'
import { Article } from './schema'

/** Versions of an article as the API returns them (contract 6.13). */

/** The members of an article that make a version of its text. */
export const TEXT_FIELDS = ['title', 'body', 'meta_title', 'meta_description'] as const
export type TextField = (typeof TEXT_FIELDS)[number]
const TextField = OneOf(TEXT_FIELDS)

const Author = t.Object(
  {
    type: OneOf(['key', 'user', 'generation', 'cli', 'system']),
    id: t.String({ examples: ['usr_01kafz3v5tf4qrm8z3x9d2c7ne'] }),
    name: t.String({
      description: 'The name of the API key, or the email address of the user.',
      examples: ['ada@example.com'],
    }),
  },
  { title: 'ArticleAuthor' },
)

const members = {
  article_id: Id('art'),
  version: Integer({ description: 'From 1 on.', examples: [3] }),
  author: Author,
  changed: t.Array(TextField, {
    description: 'What differs from the version before. Empty where that is not kept.',
    examples: [['title', 'body']],
  }),
  restored_from: Nullable(Integer(), {
    description: 'The version whose text it restored.',
    examples: [null],
  }),
  is_current: t.Boolean(),
  created_at: Timestamp,
}

export const ArticleVersion = t.Object(members, { title: 'ArticleVersion' })
export type ArticleVersion = TypeOf<typeof ArticleVersion>

const { title, body, meta_title, meta_description } = Article.properties

export const ArticleVersionDetail = t.Object(
  { ...members, title, body, meta_title, meta_description },
  { title: 'ArticleVersionDetail' },
)
export type ArticleVersionDetail = TypeOf<typeof ArticleVersionDetail>
