import { expect, test } from 'bun:test'
import { DISASTERS } from './disasters/all'
import { DOCUMENT, operatorBlocks } from './document'

test(`every command of ${DOCUMENT} for an operator is typed by a disaster, and every disaster finds its own`, async () => {
  const documented = (await operatorBlocks()).map(({ name }) => name)
  const typed = DISASTERS.flatMap(({ blocks }) => blocks)
  expect(documented.toSorted()).toEqual([...new Set(typed)].sort())
})
