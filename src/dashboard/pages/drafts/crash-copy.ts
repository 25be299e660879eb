/**
 * Copies of drafts that outlive their tab, in the storage of the browser: a crash asks no user, and the storage of the
 * tab is gone. The next tab that opens the article takes over the copy of a tab that is no longer there.
 */

const PREFIX = 'arden.draft-copy.'
/** How long a copy is kept, in ms: others may use the browser. */
const KEPT_MS = 3 * 86_400_000

/** `draft` as text. `at` in ms. */
type Copy = { userId: string; at: number; draft: string }

/** Of this page. The browser releases its lock with the page, however that ends. */
const PAGE = Array.from(crypto.getRandomValues(new Uint32Array(4)), part => part.toString(36)).join(
  '',
)
/** Only in secure contexts: without locks there are no copies. */
const locks: LockManager | undefined = navigator.locks
const lockOf = (page: string) => `arden.page.${page}`
void locks?.request(lockOf(PAGE), () => new Promise(() => {}))

const key = (articleId: string) => `${PREFIX}${articleId}.${PAGE}`

/** @throws when the storage is full. */
export const keepCopy = (articleId: string, userId: string, draft: string): void => {
  if (locks === undefined) return
  const copy: Copy = { userId, at: Date.now(), draft }
  localStorage.setItem(key(articleId), JSON.stringify(copy))
}

/** Of this page: its draft was saved or discarded. */
export const removeCopy = (articleId: string): void => localStorage.removeItem(key(articleId))

/** The copies of pages that are no longer there, the latest first. `remove` when one is kept elsewhere. */
export const findCopies = async (
  articleId: string,
  userId: string,
): Promise<{ draft: string; remove: () => void }[]> => {
  const { held = [] } = (await locks?.query()) ?? {}
  const isThere = (name: string) =>
    held.some(lock => lock.name === lockOf(name.slice(name.lastIndexOf('.') + 1)))
  return namesOf(`${PREFIX}${articleId}.`)
    .filter(name => !isThere(name))
    .map(name => ({ ...read(name), remove: () => localStorage.removeItem(name) }))
    .filter(copy => copy.userId === userId)
    .sort((a, b) => b.at - a.at)
}

/** Removes the copies of all users but one. */
export const removeCopies = (exceptOf?: string): void =>
  removeWhere(copy => copy.userId !== exceptOf)

const removeWhere = (isRemoved: (copy: Copy) => boolean) => {
  for (const name of namesOf(PREFIX)) if (isRemoved(read(name))) localStorage.removeItem(name)
}

const namesOf = (prefix: string) =>
  Object.keys(localStorage).filter(name => name.startsWith(prefix))

/** Others may write to the storage: what is no copy is one of no user, from long ago. */
const read = (name: string): Copy => {
  try {
    const { userId = '', at = 0, draft = '' } = JSON.parse(localStorage.getItem(name) ?? '{}')
    return { userId, at, draft }
  } catch {
    return { userId: '', at: 0, draft: '' }
  }
}

removeWhere(({ at }) => at < Date.now() - KEPT_MS)
