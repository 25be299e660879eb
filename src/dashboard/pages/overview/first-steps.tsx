import { Link } from '@tanstack/react-router'
import { Circle, CircleCheck, X } from 'lucide-react'
import { useState } from 'react'
import type { FirstSteps as Steps } from '../../overview/first-steps'
import { useDashboard } from '../api/queries'
import { cx } from '../kit/classes'
import { IconButton } from '../kit/controls/button'
import { Card } from '../kit/layout/page'
import { INLINE_LINK } from '../kit/link'
import { useMode } from '../mode'
import { useMayChange, useMe } from '../session/me'

const STEPS = [
  ['key', 'Create an API key', 'Your application calls the API with it.', '/$mode/keys'],
  ['webhook', 'Create a webhook', 'Arden sends signed events to its URL.', '/$mode/webhooks'],
  ['project', 'Create a project', 'A project contains keywords and articles.', '/$mode/projects'],
  [
    'article',
    'Create or generate an article',
    'Arden sends its events to your webhook.',
    '/$mode/articles',
  ],
  [
    'delivery',
    'Receive the first delivery',
    'You can also send a test from the page of the webhook.',
    '/$mode/webhooks',
  ],
] as const satisfies readonly (readonly [keyof Steps, string, string, string])[]

/** Refresh interval until all are done, in ms. */
const EVERY_MS = 5_000

/** What a new account does first, until that is done or dismissed in this browser. */
export const FirstSteps = () => {
  const me = useMe()
  const mode = useMode()
  const mayChange = useMayChange()
  const storageKey = `arden.first-steps.${me?.account.id}.${mode}`
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(storageKey) !== null)
  const { data: steps } = useDashboard<Steps>('overview', '/overview/first-steps', {
    everyMs: EVERY_MS,
    enabled: mayChange && !isDismissed,
  })
  const done = STEPS.filter(([step]) => steps?.[step]).length
  if (steps === undefined || isDismissed || !mayChange || done === STEPS.length) return null
  return (
    <Card
      title="First steps"
      actions={
        <span className="num flex items-center gap-2 text-xs text-muted">
          {done} of {STEPS.length} done
          <IconButton
            label="Dismiss the first steps"
            className="-mr-2"
            onClick={() => {
              localStorage.setItem(storageKey, 'dismissed')
              setDismissed(true)
            }}
          >
            <X />
          </IconButton>
        </span>
      }
    >
      <ol className="divide-y divide-line">
        {STEPS.map(([step, title, about, to]) => {
          const isDone = steps[step]
          const Icon = isDone ? CircleCheck : Circle
          return (
            <li key={step} className="flex items-start gap-3 px-4 py-2.5 text-sm">
              <Icon
                role="img"
                aria-label={isDone ? 'Done' : 'To do'}
                className={cx('mt-px size-4 shrink-0', isDone ? 'text-good' : 'text-faint')}
              />
              {isDone ? (
                <span className="text-muted">{title}</span>
              ) : (
                <span>
                  <Link to={to} params={{ mode }} className={`${INLINE_LINK} font-medium`}>
                    {title}
                  </Link>
                  <span className="block text-xs text-muted">{about}</span>
                </span>
              )}
            </li>
          )
        })}
      </ol>
    </Card>
  )
}
