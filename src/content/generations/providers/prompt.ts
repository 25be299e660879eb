import { articlePrompt } from '../prompts'
import type { Prompt } from '../prompts/template'
import type { ArticleTask } from './provider'

/** The prompt that writes the article. */
export const createPrompt = ({ keyword, instructions, project }: ArticleTask): Prompt =>
  articlePrompt({
    keyword,
    language: project.language,
    site: project.domain === null ? project.name : `${project.name} (${project.domain})`,
    instructions,
  })
