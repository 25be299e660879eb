import type { Subscription } from '../../../webhooks/events/schema'
import { ALL_EVENTS } from '../../../webhooks/events/types'

type Named = { url: string; description: string | null }

/** What people call a webhook: its description, or the host of its URL. */
export const nameOf = ({ url, description }: Named): string => description || new URL(url).host

/** The same where it is chosen among others, which can have the same description or host. */
export const longNameOf = ({ url, description }: Named): string =>
  description ? `${description} · ${shortUrl(url)}` : shortUrl(url)

/** A URL without its scheme. */
const shortUrl = (url: string): string => url.replace(/^https?:\/\//, '')

/** An event type that a webhook is subscribed to. */
export const subscriptionText = (event: Subscription): string =>
  event === ALL_EVENTS ? 'All events' : event
