import type { Event, WebhookEvent } from '@arden/sdk'
import { joinLine, type Style, type StyledText, styled } from '../print'

const TYPE_WIDTH = 20

/** An event as one line: time, type, id, and the title or keyword it is about. */
export const eventLine = ({ id, event, created_at, data }: WebhookEvent | Event): StyledText => {
  const { title, keyword, article_id }: { [member: string]: unknown } = data
  return joinLine(
    [
      styled('dim', created_at.slice(11, 19)),
      styled(styleOf(event), event.padEnd(TYPE_WIDTH)),
      styled('dim', id),
      String(title ?? keyword ?? article_id ?? ''),
    ],
    '  ',
  )
}

const styleOf = (event: string): Style => {
  if (event.endsWith('.failed') || event.endsWith('.deleted')) return 'red'
  if (event.endsWith('.published') || event.endsWith('.completed')) return 'green'
  return 'cyan'
}
