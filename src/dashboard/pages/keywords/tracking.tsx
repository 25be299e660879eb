import type { Mode } from '../../../caller'
import { Badge } from '../kit/controls/badge'
import { useMode } from '../mode'
import { useHasProvider } from '../session/me'

type Props = {
  isOn: boolean
  /** The domain of its project; undefined while it is loading. */
  domain: string | null | undefined
}

/** Whether the rankings of a keyword are tracked, and what is missing if they are to be. */
export const Tracking = ({ isOn, domain }: Props) => {
  const mode = useMode()
  const hasProvider = useHasProvider('serp')
  if (!isOn) return <Badge>Tracking off</Badge>
  const missing = whatIsMissing(mode, hasProvider, domain)
  return missing === undefined ? (
    <Badge tone="good">Tracked</Badge>
  ) : (
    <Badge tone="warn">Not tracked: {missing}</Badge>
  )
}

const whatIsMissing = (mode: Mode, hasProvider: boolean, domain: Props['domain']) => {
  if (mode === 'test') return 'live mode only'
  if (!hasProvider) return 'no SERP provider'
  return domain === null ? 'the project has no domain' : undefined
}
