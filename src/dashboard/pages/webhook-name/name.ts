import type { Subscription } from '../../../webhooks/events/schema'
import { ALL_EVENTS } from '../../../webhooks/events/types'

type Named = { url: string; description: string | null }

/** What people call a webhook: its description, or its URL: one host can have several. */
export const nameOf = ({ url, description }: Named): string => description || shortUrl(url)

/** The same where it is chosen among others, which can have the same description or host. */
export const longNameOf = ({ url, description }: Named): string =>
  description ? `${description} · ${shortUrl(url)}` : shortUrl(url)

/** A URL without its scheme. */
const shortUrl = (url: string): string => url.replace(/^https?:\/\//, '')

/** What a webhook is subscribed to: all events, whatever types are named beside `*`, or these types. */
export const subscriptionTexts = (events: readonly Subscription[]): string[] =>
  events.includes(ALL_EVENTS) ? ['All events'] : [...events]
