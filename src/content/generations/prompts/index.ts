// Text imports, so that the compiled binary contains the files.
import introduction from './introduction.md' with { type: 'text' }
import metadata from './metadata.md' with { type: 'text' }
import outline from './outline.md' with { type: 'text' }
import section from './section.md' with { type: 'text' }
import { parsePrompt } from './template'

/** The prompts, one file each. README.md says how to change one. */

const BRIEF = ['keyword', 'language', 'site', 'audience', 'style_guide', 'instructions'] as const

/** The headings of an article. */
export const outlinePrompt = parsePrompt('outline', outline, [...BRIEF, 'headings'])

const PART = [...BRIEF, 'tone', 'words', 'outline'] as const

/** What precedes the first heading. */
export const introductionPrompt = parsePrompt('introduction', introduction, PART)

/** The text below one heading. */
export const sectionPrompt = parsePrompt('section', section, [...PART, 'heading'])

/** Title, slug, and what search engines show. */
export const metadataPrompt = parsePrompt('metadata', metadata, [
  ...BRIEF,
  'tone',
  'outline',
  'introduction',
])
