import { Elysia } from 'elysia'
import { deliveryRoutes } from './deliveries/routes'
import { endpointRoutes } from './endpoints/routes'
import { eventLogRoutes } from './event-log/routes'

type Deps = Parameters<typeof endpointRoutes>[0]

/** Every webhook, delivery and event route of contract 8.2, except the event stream. */
export const webhookRoutes = (deps: Deps) =>
  new Elysia().use(endpointRoutes(deps)).use(deliveryRoutes(deps)).use(eventLogRoutes(deps))
