import type { Usage } from '../../../usage/schema'
import { useRecord } from '../api/queries'
import { useMode } from '../mode'
import { useHasProvider } from '../session/me'

/** How a generation counts towards the plan. */
export const Quota = () => {
  const mode = useMode()
  const { data: usage } = useRecord<Usage>('usage', '/usage', mode === 'live')
  const hasProvider = useHasProvider(mode)
  if (mode === 'test')
    return hasProvider
      ? 'Free in test mode.'
      : 'Test mode uses no language model, so Arden creates an outline. It is free.'
  if (!hasProvider)
    return 'No language model is configured, so Arden creates an outline. It does not count towards your plan.'
  if (usage === undefined) return 'Counts towards your plan, unless it fails or is cancelled.'
  return `${usage.generations} of ${usage.quota.generations} generations used this month. Failed and cancelled generations do not count.`
}
