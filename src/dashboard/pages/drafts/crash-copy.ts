/**
 * Copies of drafts that outlive their tab, in the storage of the browser: in a crash nobody is asked, and the storage of
 * the tab is gone. The next tab that opens the article takes over the copy of a tab that is no longer there.
 */

const PREFIX = 'arden.draft-copy.'

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

/** Keeps a copy. `draft` undefined: there is nothing to keep any more. */
export const keepCopy = (articleId: string, userId: string, draft: string | undefined): void => {
  if (draft === undefined || locks === undefined) {
    localStorage.removeItem(key(articleId))
    return
  }
  const copy: Copy = { userId, at: Date.now(), draft }
  localStorage.setItem(key(articleId), JSON.stringify(copy))
}

/** The latest copy of pages that are no longer there. It is removed, with the earlier ones. */
export const takeCopy = async (articleId: string, userId: string): Promise<string | undefined> => {
  const { held = [] } = (await locks?.query()) ?? {}
  const isThere = (name: string) =>
    held.some(lock => lock.name === lockOf(name.slice(name.lastIndexOf('.') + 1)))
  const left = namesOf(`${PREFIX}${articleId}.`).filter(name => !isThere(name))
  const [latest] = left
    .map(read)
    .filter(copy => copy.userId === userId)
    .sort((a, b) => b.at - a.at)
  for (const name of left) localStorage.removeItem(name)
  return latest?.draft
}

/** Removes the copies of all users but one. */
export const removeCopies = (exceptOf?: string): void => {
  for (const name of namesOf(PREFIX))
    if (read(name).userId !== exceptOf) localStorage.removeItem(name)
}

const namesOf = (prefix: string) =>
  Object.keys(localStorage).filter(name => name.startsWith(prefix))

const read = (name: string): Copy => JSON.parse(localStorage.getItem(name) ?? '{}')
