import type { Event, WebhookEvent } from '@arden/sdk'
import { toTerminalLine } from '../../terminal'
import { type Style, styled } from '../print'

const TYPE_WIDTH = 20

/** An event as one line: time, type, id, and the title or keyword it is about. */
export const eventLine = ({ id, event, created_at, data }: WebhookEvent | Event): string => {
  const { title, keyword, article_id }: { [member: string]: unknown } = data
  return [
    styled('dim', created_at.slice(11, 19)),
    styled(styleOf(event), event.padEnd(TYPE_WIDTH)),
    styled('dim', id),
    toTerminalLine(String(title ?? keyword ?? article_id ?? '')),
  ]
    .join('  ')
    .trimEnd()
}

const styleOf = (event: string): Style => {
  if (event.endsWith('.failed') || event.endsWith('.deleted')) return 'red'
  if (event.endsWith('.published') || event.endsWith('.completed')) return 'green'
  return 'cyan'
}
