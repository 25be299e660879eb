import { styleText } from 'node:util'
import type { Envelope } from '../client/follow'
import type { Event } from '../webhooks/event-log/schema'

/** Colour only where `stream` is a terminal; NO_COLOR and FORCE_COLOR are heeded. */
type Style = Parameters<typeof styleText>[0]
export const styled = (
  style: Style,
  text: string,
  stream: NodeJS.WriteStream = process.stdout,
): string => styleText(style, text, { stream })

const TYPE_WIDTH = 20

/** One event in a line: when, what, about what, which. The text of others is shown without its control codes. */
export const eventLine = ({ id, event, created_at, data }: Envelope | Event): string => {
  const about = data.title ?? data.keyword ?? data.article_id ?? ''
  return [
    styled('dim', created_at.slice(11, 19)),
    styled(styleOf(event), event.padEnd(TYPE_WIDTH)),
    styled('dim', id),
    plain(String(about)),
  ]
    .join('  ')
    .trimEnd()
}

const styleOf = (event: string): Style => {
  if (event.endsWith('.failed') || event.endsWith('.deleted')) return 'red'
  if (event.endsWith('.published') || event.endsWith('.completed')) return 'green'
  return 'cyan'
}

/** What a terminal would take for a command of its own is left out. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is meant
const plain = (text: string) => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
