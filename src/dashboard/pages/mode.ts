import { useParams } from '@tanstack/react-router'
import type { Mode } from '../../caller'

/** The mode is in the path, so that links keep it and tabs can differ. */
export const useMode = (): Mode => toMode(useParams({ strict: false }).mode)

export const toMode = (text: string | undefined): Mode => (text === 'test' ? 'test' : 'live')

const KEY = 'arden.mode'

/**
 * The name of a kind of content in a mode, such as "articles" or "test articles". A "live article" would be read as one
 * that is published.
 */
export const contentIn = (mode: Mode, kind: string): string =>
  mode === 'test' ? `test ${kind}` : kind

/** The mode of the last visit, for addresses without one. */
export const lastMode = (): Mode => toMode(localStorage.getItem(KEY) ?? undefined)

export const showMode = (mode: Mode): void => {
  localStorage.setItem(KEY, mode)
  document.documentElement.dataset.mode = mode
}
