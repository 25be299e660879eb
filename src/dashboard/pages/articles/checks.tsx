import { useMutation } from '@tanstack/react-query'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { Article } from '../../../content/articles/schema'
import type { CheckResult } from '../../../content/checks/result'
import { call, query } from '../api/client'
import { Button } from '../kit/controls/button'
import { Card } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { useMode } from '../mode'

type Checks = { version: number; checks: CheckResult[] }

type Props = {
  of: Article
  /** There are changes that the checks do not see. */
  isDirty?: boolean
}

/** What the checks find in the saved text of an article, when a user asks for it. */
export const ArticleChecks = ({ of: article, isDirty = false }: Props) => {
  const { id, version } = article
  const mode = useMode()
  const run = useMutation({
    mutationFn: async (links: boolean) => {
      const path = `/v1/articles/${id}/checks${query({ links: String(links) })}`
      const { data } = await call<{ data: Checks }>('GET', path, { mode })
      return { ...data, checked: article }
    },
  })
  const isRunning = (links: boolean) => run.isPending && run.variables === links
  const found = run.data
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
      {isDirty && (
        <p className="border-b border-line px-4 py-2.5 text-sm text-warn">
          The checks read the saved text, without your unsaved changes.
        </p>
      )}
      <div role="status">
        {found === undefined ? (
          <p className="p-4 text-sm text-muted">
            Language, length, headings, keyword, placeholders, links, and similarity to other
            articles of the project.
          </p>
        ) : (
          <>
            {(found.version !== version || isOtherText(found.checked, article)) && (
              <p className="px-4 pt-3 text-sm text-warn">
                These are results of an earlier text. Check it again.
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

/** What a user saves within five minutes is one version (contract 6.13), so its number says too little. */
const isOtherText = (one: Article, other: Article) =>
  one.title !== other.title || one.body !== other.body || one.keyword_id !== other.keyword_id

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
