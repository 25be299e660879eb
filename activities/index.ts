import { createExpireActivities } from './expire-old'
import { createGenerationActivities } from './generation-steps'
import { createPublishActivities } from './publish-due'
import { createRequestedRunActivities } from './rank-project'
import { createDeliveryActivities } from './send-webhook'
import { createRankingActivities } from './track-rankings'

type Deps = Parameters<typeof createDeliveryActivities>[0] &
  Parameters<typeof createGenerationActivities>[0] &
  Parameters<typeof createRankingActivities>[0] &
  Parameters<typeof createRequestedRunActivities>[0] &
  Parameters<typeof createExpireActivities>[0] &
  Parameters<typeof createPublishActivities>[0]

/** All activities, as workers register them. */
export const createActivities = (deps: Deps) => ({
  ...createDeliveryActivities(deps),
  ...createGenerationActivities(deps),
  ...createRankingActivities(deps),
  ...createRequestedRunActivities(deps),
  ...createExpireActivities(deps),
  ...createPublishActivities(deps),
})

export type Activities = ReturnType<typeof createActivities>
