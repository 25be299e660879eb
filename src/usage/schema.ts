import { t } from 'elysia'
import { Integer, type TypeOf } from '../http/schema'

/** The live usage of an account in a UTC month and the quota of its plan (contract 6.10). */
export const Usage = t.Object(
  {
    month: t.String({ pattern: '^\\d{4}-\\d\\d$', description: 'UTC.', examples: ['2026-01'] }),
    requests: Integer({ description: 'Requests that passed the rate limit.', examples: [18_250] }),
    generations: Integer({
      description: 'Taken from the quota: all except those that failed or were cancelled.',
      examples: [42],
    }),
    articles: Integer({
      description: 'Articles created, by a request or by a generation.',
      examples: [57],
    }),
    deliveries: Integer({
      description: 'Deliveries to webhooks, not attempts. Test deliveries are free.',
      examples: [1203],
    }),
    input_tokens: Integer({
      description: 'Tokens of requests to language models, of the steps that were finished.',
      examples: [52_300],
    }),
    output_tokens: Integer({ description: 'Tokens of their responses.', examples: [31_900] }),
    quota: t.Object({
      generations: Integer({ description: 'Generations in a month.', examples: [100] }),
    }),
  },
  { title: 'Usage' },
)
export type Usage = TypeOf<typeof Usage>
