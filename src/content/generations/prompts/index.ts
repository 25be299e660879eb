// Text imports, so that the compiled binary contains the files.
import article from './article.md' with { type: 'text' }
import { parsePrompt } from './template'

/** The prompts, one file each. README.md says how to change one. */

/** An article in one response. */
export const articlePrompt = parsePrompt('article', article, [
  'keyword',
  'language',
  'site',
  'instructions',
])
