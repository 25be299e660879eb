/**
 * Calls `read` for what a receiver sent in a TLS handshake: for each account one in a turn of the event loop, so that
 * the outcome of one is known before the next is read. A receiver whose certificates are expensive has many
 * connections at a time: 200 with 26 ms of CPU each stopped the event loop for 5 s.
 */
export const createHandshakeTurns = () => {
  const waiting = new Map<string, (() => void)[]>()
  const readNext = (account: string) => {
    const read = waiting.get(account)?.shift()
    if (read === undefined) {
      waiting.delete(account)
      return
    }
    setImmediate(readNext, account)
    read()
  }
  return (account: string, read: () => void): void => {
    const all = waiting.get(account)
    if (all !== undefined) all.push(read)
    else {
      waiting.set(account, [read])
      readNext(account)
    }
  }
}
