import { join } from 'node:path'
import { ROOT } from '../../build/root'
import { type Fence, fencesOf } from '../support/operations/fences'

/** Commands that an operator types, and what they print where the document shows it. */
export type Block = { name: string; commands: string; shown: string | undefined }

export const DOCUMENT = 'docs/operations.md'

/** The blocks ```` ```sh operator <name> ```` of the document, each with the ```` ```text ```` that follows it. */
export const operatorBlocks = async (): Promise<Block[]> =>
  blocksOf(fencesOf(await Bun.file(join(ROOT, DOCUMENT)).text()))

const blocksOf = (fences: Fence[]): Block[] =>
  fences.flatMap(({ language, word, name, text }, index) => {
    if (language !== 'sh' || word !== 'operator') return []
    const next = fences[index + 1]
    const shown = next?.language === 'text' ? next.text : undefined
    return [{ name: name ?? '', commands: text, shown }]
  })
