import type { ReportedModelProvider } from '../../../temporal/heartbeat'
import type { LanguageModels as State } from '../../language-models/routes'
import { useChange, useDashboard } from '../api/queries'
import { Button } from '../kit/controls/button'
import { Time } from '../kit/controls/time'
import { Skeleton } from '../kit/layout/empty'
import { Card } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { CheckIcon } from './check-icon'

type Result = NonNullable<State['test']>['results'][number]

/** How often the result of a test is read, in ms. */
const TEST_READ_MS = 1_000
/** A test without an end after this long has none any more, in ms. */
const TEST_MAX_MS = 60_000

const isRunning = (test: State['test'] | undefined): boolean =>
  test != null &&
  test.finished_at === null &&
  Date.now() - Date.parse(test.requested_at) < TEST_MAX_MS

/** The language models of the workers, and one small call of each. Only owners see it. */
export const LanguageModels = () => {
  const models = useDashboard<State>('language-models', '/language-models', {
    everyMs: data => (isRunning(data?.test) ? TEST_READ_MS : false),
  })
  const test = useChange('language-models')
  const { data } = models
  const isTesting = test.isPending || isRunning(data?.test)
  const hasModels = data?.providers != null && data.providers.length > 0
  return (
    <Card
      title="Language models"
      actions={
        hasModels && (
          <span className="flex items-center gap-3 text-xs text-muted">
            {data.test?.finished_at != null && !isTesting && (
              <span>
                Tested <Time at={data.test.finished_at} />
              </span>
            )}
            <Button
              busy={isTesting}
              onClick={() => test.mutate({ method: 'POST', path: '/language-models/test' })}
            >
              Test
            </Button>
          </span>
        )
      }
    >
      <Problem error={models.error} onRetry={models.refetch} className="m-4" />
      <Problem error={test.error} className="m-4" />
      {data === undefined ? models.error === null && <Skeleton /> : <Content of={data} />}
    </Card>
  )
}

const Content = ({ of: { providers, test } }: { of: State }) => {
  if (providers === null)
    return <p className="px-4 py-3 text-sm text-muted">No worker is running, so none is known.</p>
  if (providers.length === 0)
    return (
      <p className="px-4 py-3 text-sm text-muted">
        None is configured: the built-in offline provider writes outlines. An operator of Arden sets
        ARDEN_LLM_BASE_URL, ARDEN_LLM_API_KEY and ARDEN_LLM_MODEL for the workers, or
        ARDEN_LLM_PROVIDERS for several.
      </p>
    )
  return (
    <ol className="divide-y divide-line" aria-label="Providers">
      {providers.map((provider, index) => (
        <Provider
          key={provider.name}
          of={provider}
          isDefault={index === 0}
          result={test?.results.find(({ name }) => name === provider.name)}
        />
      ))}
    </ol>
  )
}

const Provider = ({
  of: { name, host, models },
  isDefault,
  result,
}: {
  of: ReportedModelProvider
  isDefault: boolean
  result: Result | undefined
}) => (
  <li className="space-y-1 px-4 py-2.5 text-sm">
    <p className="[overflow-wrap:anywhere]">
      <span className="font-medium">{name}</span>{' '}
      <span className="text-muted">
        {host}, {isDefault ? 'writes' : 'called when those before it fail'}
      </span>
    </p>
    <ul className="space-y-0.5 text-muted">
      {models.map(({ name: model, price }) => (
        <li key={model} className="[overflow-wrap:anywhere]">
          <code className="font-mono text-xs">{model}</code>
          {price !== null && (
            <span>
              {' '}
              ${price.input} / ${price.output} for a million tokens, input / output
            </span>
          )}
        </li>
      ))}
    </ul>
    {result !== undefined && (
      <p className="flex items-start gap-2">
        <CheckIcon of={result.status} />
        <span className="min-w-0 [overflow-wrap:anywhere]">
          {result.found} {result.todo}
        </span>
      </p>
    )}
  </li>
)
