import type { Arden } from '@arden/sdk'
import { Option } from '@commander-js/extra-typings'
import { REQUIRED_CHECKS } from '../../content/generations/brief'
import { readId } from '../ids'
import { wholeNumber } from '../number'
import type { apiCommand } from './connection'
import { withoutAbsent } from './records'

/** The options that say what to write, about one keyword or each of several. */
export const withBrief = (command: ReturnType<typeof apiCommand>) =>
  command
    .option('--instructions <text>', 'points to cover')
    .option('--audience <text>', 'who reads it')
    .option('--tone <text>', 'how it sounds')
    .option('--length <words>', 'how long it is, about', wholeNumber(100, 10_000))
    .option('--heading <text>', 'a heading of its outline; repeat it for several', append)
    .option('--model <name>', 'a model that the operator has configured')
    .addOption(
      new Option('--require <check...>', 'checks without which it fails').choices(REQUIRED_CHECKS),
    )
    .option('--review-outline', 'wait until the outline is approved')

type Brief = ReturnType<ReturnType<typeof withBrief>['opts']>

/** The members of a request for these options. */
export const toBriefBody = ({
  instructions,
  audience,
  tone,
  length,
  model,
  heading,
  require,
  reviewOutline,
}: Brief) =>
  withoutAbsent({
    instructions,
    audience,
    tone,
    length,
    model,
    outline: heading,
    required_checks: require,
    review_outline: reviewOutline,
  })

/** The options of one generation. */
export const withKeywordAndBrief = (command: ReturnType<typeof apiCommand>) =>
  withBrief(command)
    .requiredOption('--keyword <id>', 'the keyword (kw_...)', readId('kw'))
    .option('--article <id>', 'an article to write anew, as a new version (art_...)', readId('art'))

type OneGeneration = ReturnType<ReturnType<typeof withKeywordAndBrief>['opts']>

export const startGeneration = (api: Arden, { keyword, article, ...brief }: OneGeneration) =>
  api.post('/generations', {
    body: {
      keyword_id: keyword,
      ...withoutAbsent({ article_id: article }),
      ...toBriefBody(brief),
    },
  })

/** The parser of an option that can be repeated. */
export const append = (text: string, previous: string[] = []): string[] => [...previous, text]
