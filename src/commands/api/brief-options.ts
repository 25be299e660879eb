import type { Arden } from '@arden/sdk'
import { wholeNumber } from '../number'
import type { apiCommand } from './connection'
import { withoutAbsent } from './records'

/** The options that say what to write. */
export const withBrief = (command: ReturnType<typeof apiCommand>) =>
  command
    .requiredOption('--keyword <id>', 'the keyword (kw_...)')
    .option('--article <id>', 'an article to write anew, as a new version (art_...)')
    .option('--instructions <text>', 'points to cover')
    .option('--audience <text>', 'who reads it')
    .option('--tone <text>', 'how it sounds')
    .option('--length <words>', 'how long it is, about', wholeNumber(100, 10_000))
    .option('--heading <text>', 'a heading of its outline; repeat it for several', append)
    .option('--model <name>', 'a model that the operator has configured')
    .option('--review-outline', 'wait until the outline is approved')

type Brief = ReturnType<ReturnType<typeof withBrief>['opts']>

export const startGeneration = (
  api: Arden,
  { keyword, article, instructions, audience, tone, length, model, heading, reviewOutline }: Brief,
) =>
  api.post('/generations', {
    body: {
      keyword_id: keyword,
      ...withoutAbsent({
        article_id: article,
        instructions,
        audience,
        tone,
        length,
        model,
        outline: heading,
        review_outline: reviewOutline,
      }),
    },
  })

/** The parser of an option that can be repeated. */
export const append = (text: string, previous: string[] = []): string[] => [...previous, text]
