import { createDeliveryActivities } from './send-webhook'

/** Everything that the workers of Arden do for its workflows. */
export const createActivities = createDeliveryActivities

export type Activities = ReturnType<typeof createActivities>
