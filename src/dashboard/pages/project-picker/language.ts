import type { Project } from '../../../content/projects/schema'
import { useRecord } from '../api/queries'

/**
 * The language of the texts of a project, for screen readers and spell checkers; undefined while it is not known. The page
 * itself is in English.
 */
export const useLanguage = (projectId: string | undefined): string | undefined =>
  useRecord<Project>('projects', `/projects/${projectId}`, projectId !== undefined).data?.language
