import { Elysia, t } from 'elysia'
import { limitConcurrencyPerKey } from '../../db/limit-concurrency'
import { operation } from '../../http/openapi/operation'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { explainLockTimeout } from '../../http/response/errors'
import { Id, Integer, OneOf, RecordResponse } from '../../http/schema'
import { limitLinkChecks } from './link-rate'
import type { CheckLinks } from './links'
import { CheckResult } from './result'
import { checkArticle } from './store'

/** Checks of an account at a time, in each process. */
const CHECKS_PER_ACCOUNT = 1
const ACCOUNT_IS_BUSY =
  'The check was not started: other checks of this account took too long, and one runs at a time. Try again later.'

export const ArticleChecks = t.Object(
  {
    article_id: Id('art'),
    version: Integer({ description: 'The version of the text that was checked.', examples: [1] }),
    checks: t.Array(CheckResult),
  },
  { title: 'ArticleChecks' },
)

export const checkRoutes = ({ read, checkLinks }: { read: Read; checkLinks: CheckLinks }) => {
  const inTurn = limitConcurrencyPerKey(CHECKS_PER_ACCOUNT)
  const countLinkCheck = limitLinkChecks()
  return new Elysia().use(withCaller).get(
    '/articles/:id/checks',
    async ({ caller, params, query }) => {
      const withLinks = query.links === 'true'
      if (withLinks) countLinkCheck(caller.accountId)
      const check = () => checkArticle(read, caller, params.id, withLinks ? checkLinks : undefined)
      return {
        data: await inTurn(caller.accountId, check).catch(explainLockTimeout(ACCOUNT_IS_BUSY)),
      }
    },
    {
      query: t.Object({
        links: t.Optional(
          OneOf(['true', 'false'], {
            description:
              'Whether to request the first 20 links, which takes up to 10 seconds. Default false.',
            examples: ['false'],
          }),
        ),
      }),
      detail: operation({
        operationId: 'checkArticle',
        summary: 'Check an article',
        description:
          'Its language, length, headings, keyword, placeholders and similarity to the newest other articles of the project. A check that does not apply has no result.',
        tags: ['Articles'],
        success: {
          status: 200,
          description: 'The results.',
          schema: RecordResponse(ArticleChecks),
        },
        errors: ['NOT_FOUND'],
      }),
    },
  )
}
