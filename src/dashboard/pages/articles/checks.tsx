import { useMutation } from '@tanstack/react-query'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { Article } from '../../../content/articles/schema'
import type { CheckResult } from '../../../content/checks/result'
import { call, query } from '../api/client'
import { Button } from '../kit/controls/button'
import { Card } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { useMode } from '../mode'

type Checks = { data: { version: number; checks: CheckResult[] } }

/** What the checks find in the saved text of an article, when a user asks for it. */
export const ArticleChecks = ({ of: { id, version } }: { of: Article }) => {
  const mode = useMode()
  const run = useMutation({
    mutationFn: (links: boolean) =>
      call<Checks>('GET', `/v1/articles/${id}/checks${query({ links: String(links) })}`, { mode }),
  })
  const isRunning = (links: boolean) => run.isPending && run.variables === links
  const found = run.data?.data
  return (
    <Card
      title="Checks"
      actions={
        <span className="flex flex-wrap gap-2">
          <Button busy={isRunning(false)} onClick={() => run.mutate(false)}>
            Check the text
          </Button>
          <Button busy={isRunning(true)} onClick={() => run.mutate(true)}>
            Check text and links
          </Button>
        </span>
      }
    >
      <Problem error={run.error} className="m-4" />
      <div role="status">
        {found === undefined ? (
          <p className="p-4 text-sm text-muted">
            Language, length, headings, keyword, placeholders, links, and similarity to other
            articles of the project.
          </p>
        ) : (
          <>
            {found.version !== version && (
              <p className="px-4 pt-3 text-sm text-warn">
                These are results of version {found.version}. The text has changed since.
              </p>
            )}
            <ul className="divide-y divide-line">
              {found.checks.map(check => (
                <Result key={check.code} of={check} />
              ))}
            </ul>
          </>
        )}
      </div>
    </Card>
  )
}

const Result = ({ of: { severity, message } }: { of: CheckResult }) => (
  <li className="flex gap-2.5 px-4 py-2.5 text-sm">
    {severity === 'ok' ? (
      <CircleCheck aria-label="OK" className="mt-0.5 size-4 shrink-0 text-good" />
    ) : (
      <TriangleAlert aria-label="Warning" className="mt-0.5 size-4 shrink-0 text-warn" />
    )}
    <span className="min-w-0 break-words">{message}</span>
  </li>
)
