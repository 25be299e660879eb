import type { Project } from '../../../content/projects/schema'
import { useFullList } from '../api/full-list'

/** All projects, to select one of them. */
export const useProjects = () => useFullList<Project>('projects', '/projects')
