import { join } from 'node:path'
import { fencesOf } from '../support/operations/fences'

/** The commands of README and docs/operations.md that are for Docker. */

const ROOT = join(import.meta.dir, '../..')
/** The headings of docs/operations.md with commands for Docker. */
const SECTIONS = ['### With Docker Compose', '### Images', '### Upgrade with Docker Compose']

const read = (file: string) => Bun.file(join(ROOT, file)).text()

/** The part of docs/operations.md from a heading to the next. */
const section = async (heading: string): Promise<string> => {
  const [, after] = (await read('docs/operations.md')).split(`\n${heading}\n`)
  if (after === undefined) throw new Error(`docs/operations.md has no heading "${heading}"`)
  return after.split(/^##/m)[0] ?? ''
}

/** The commands of the blocks marked `docker`; a line that ends with a backslash goes on. */
const blockCommands = (text: string): string[] =>
  fencesOf(text)
    .filter(({ word }) => word === 'docker')
    .flatMap(fence => fence.text.replaceAll(/\\\n\s*/g, '').split('\n'))

const inlineCommands = (text: string): string[] =>
  [...text.replaceAll(/^```.*?^```$/gms, '').matchAll(/`(docker [^`]+)`/g)].map(
    ([, command = '']) => command,
  )

/** README's commands for production, and those with which docs/operations.md begins and goes on from there. */
export const installation = async (): Promise<string[]> => {
  const short = blockCommands(await read('README.md'))
  const full = blockCommands(await section('### With Docker Compose'))
  for (const [n, command] of short.entries())
    if (full[n] !== command)
      throw new Error(`README.md and docs/operations.md differ: ${command}, ${full[n]}`)
  return full
}

/** The commands that ask a registry for the digests of images. */
export const digests = async (): Promise<string[]> => blockCommands(await section('### Images'))

/** Every documented command for Docker, each once. */
export const documentedCommands = async (): Promise<string[]> => {
  const texts = await Promise.all(SECTIONS.map(section))
  const readme = await read('README.md')
  return [
    ...new Set([
      ...blockCommands(readme),
      ...texts.flatMap(text => [...blockCommands(text), ...inlineCommands(text)]),
    ]),
  ]
}
