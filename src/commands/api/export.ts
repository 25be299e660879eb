import { access, mkdir, open, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { InvalidArgumentError } from '@commander-js/extra-typings'
import { unzipSync } from 'fflate'
import { EXPORT_FORMATS } from '../../content/export/limits'
import { EXIT, StartError } from '../../errors'
import { appendId, readId } from '../ids'
import { print, printJson } from '../print'
import { apiCommand, withApi } from './connection'
import { checkFilter, choiceOption, searchOption, withoutAbsent } from './records'

export const exportCommand = () =>
  apiCommand('export')
    .description('Download articles as Markdown or HTML, into a ZIP or a folder.')
    .requiredOption('--out <path>', 'a new file that ends in .zip, or a folder', readPath)
    .option('--project <id>', 'only of this project (prj_...)', readId('prj'))
    .option('--keyword <id>', 'only of this keyword (kw_...)', readId('kw'))
    .option('--article <id>', 'only this article (art_...); repeat it for several', appendId('art'))
    .addOption(choiceOption('--status <status>', 'only with this status', ['DRAFT', 'PUBLISHED']))
    .addOption(searchOption('title or slug'))
    .addOption(
      choiceOption('--format <format>', 'of the files', EXPORT_FORMATS).default('markdown'),
    )
    .action(({ out, project, keyword, article, status, search, format, json, ...options }) =>
      withApi(options, async api => {
        const isZip = /\.zip$/i.test(out)
        if (isZip) await assertAbsent(out)
        const filter = { project_id: project, keyword_id: keyword, ids: article?.join(',') }
        // The API would respond with an empty ZIP, as for a project without articles.
        await checkFilter(api, filter)
        const response = await api.download('/articles/export', {
          query: withoutAbsent({ format, status, search, ...filter }),
        })
        const articles = await (isZip ? writeZip(out, response) : writeFolder(out, response))
        if (json) printJson({ out, format, articles })
        else print(`${articles} ${articles === 1 ? 'article' : 'articles'} in ${out}`)
      }),
    )

/** Not an empty path, most often that of an empty variable: it is the current folder, and no folder of exports. */
const readPath = (text: string): string => {
  if (text !== '') return text
  throw new InvalidArgumentError(
    'It is empty: it must be a new file that ends in .zip, or a folder.',
  )
}

/** Returns the number of files. A ZIP that is incomplete is removed. */
const writeZip = async (out: string, { body }: Response): Promise<number> => {
  // Fails for a file that was made meanwhile.
  const file = await open(out, 'wx').catch(cannotWrite(out))
  try {
    for await (const chunk of body ?? []) await file.write(chunk)
  } catch (cause) {
    await rm(out, { force: true })
    throw cutOff(cause)
  } finally {
    await file.close()
  }
  return countFiles(out)
}

/** Bytes of the last record of a ZIP, which has the number of its files at byte 10 (APPNOTE 4.3.16). */
const END_BYTES = 22

const countFiles = async (path: string): Promise<number> => {
  const file = Bun.file(path)
  const end = await file.slice(file.size - END_BYTES).arrayBuffer()
  return new DataView(end).getUint16(10, true)
}

/** Returns the number of files. Nothing is written when one of them exists. */
const writeFolder = async (out: string, response: Response): Promise<number> => {
  const zip = await response.arrayBuffer().catch(cause => {
    throw cutOff(cause)
  })
  const files = Object.entries(unzipSync(new Uint8Array(zip)))
  const paths = files.map(([name, bytes]) => ({ path: join(out, basename(name)), bytes }))
  for (const { path } of paths) await assertAbsent(path)
  await mkdir(out, { recursive: true }).catch(cannotWrite(out))
  for (const { path, bytes } of paths)
    await writeFile(path, bytes, { flag: 'wx' }).catch(cannotWrite(path))
  return paths.length
}

const assertAbsent = async (path: string): Promise<void> => {
  const exists = await access(path).then(
    () => true,
    () => false,
  )
  if (exists)
    throw new StartError(`${path} exists already, and nothing was written. Choose another --out.`, {
      exitCode: EXIT.usage,
    })
}

const cannotWrite =
  (path: string) =>
  (cause: unknown): never => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    const hint = ['ENOENT', 'EACCES', 'EPERM', 'EROFS'].includes(code)
      ? ' Check that its folder exists and that you may write there.'
      : ''
    throw new StartError(
      `${path} cannot be written: ${cause instanceof Error ? cause.message : cause}.${hint}`,
      { cause },
    )
  }

const cutOff = (cause: unknown) =>
  new StartError(
    'The download broke off, because the connection or a read of the server failed. Nothing was kept; try again.',
    { cause, exitCode: EXIT.unreachable },
  )
