import type { ArticleTask } from './provider'

const ROLE =
  `You write articles for the web. Answer with the article alone, in Markdown: the first line is
its title as a level-one heading, then an introduction, sections under level-two headings, and a short
conclusion. State nothing as a fact that you do not know to be one. No front matter, no code fence around
the article, no remarks about it.`.replaceAll('\n', ' ')

/** The prompt that writes the article. */
export const createPrompt = ({ keyword, instructions, project }: ArticleTask) => ({
  system: ROLE,
  prompt: [
    `Write an article that answers what people look for who search for: ${keyword}`,
    `Language (BCP 47): ${project.language}`,
    `It appears on: ${project.name}${project.domain === null ? '' : ` (${project.domain})`}`,
    ...(instructions === null ? [] : [`Follow these instructions:\n${instructions}`]),
  ].join('\n\n'),
})
