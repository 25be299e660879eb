import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { $ } from 'bun'
import { embeddedPages, pagesPlugin } from './embed-pages'
import { ROOT } from './root'
import { type Target, targets, thisPlatform } from './targets'
import { EMBEDDED, temporalPlugin, workflowThread } from './temporal-plugin'

export type Parts = {
  /** A file with the workflows' code, bundled. */
  workflows: string
  /** A file with PostgreSQL, packed. */
  postgres: string
}

/**
 * Makes the program for `target` into the file `outfile`, with everything inside: code, workflows,
 * migrations, the OpenAPI page, the dashboard, Temporal's native library, and PostgreSQL for `dev`.
 * @throws when a package is not as the build knows it, or the target's Bun cannot be had.
 */
export const compile = async (target: Target, parts: Parts, outfile: string): Promise<void> => {
  // Renamed when it is whole: what runs meanwhile keeps its file. Source maps are left beside it, which
  // are inside as well.
  await mkdir(dirname(outfile), { recursive: true })
  const folder = await mkdtemp(`${outfile}.unfinished-`)
  try {
    await build(target, parts, join(folder, 'arden'))
    await rename(join(folder, 'arden'), outfile)
  } catch (error) {
    // Bun says "Bundle failed", and why in `errors`.
    const [reason = error] = error instanceof AggregateError ? error.errors : [error]
    throw reason
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const build = async (target: Target, { workflows, postgres }: Parts, outfile: string) => {
  const { bun, temporal } = targets[target]
  const pages = await embeddedPages()
  await Bun.build({
    entrypoints: [join(ROOT, 'src', 'main.ts'), workflowThread(ROOT)],
    root: ROOT,
    target: 'bun',
    // What is imported when it is needed stays apart: `serve` reads none of Temporal's code.
    splitting: true,
    // Shorter names for variables break Elysia, which reads the source of its handlers.
    minify: { whitespace: true, syntax: true, identifiers: false },
    // 4 MB, read when an error is shown only: its stack names our files and lines.
    sourcemap: 'linked',
    define: {
      ARDEN_COMMIT: JSON.stringify(await commit()) ?? 'undefined',
      // Bun would put the paths of the building machine there, where a package finds its files until the
      // binary runs on another one.
      __dirname: JSON.stringify(EMBEDDED),
      __filename: JSON.stringify(join(EMBEDDED, 'file')),
    },
    plugins: [pagesPlugin(pages), temporalPlugin({ root: ROOT, triple: temporal, workflows })],
    compile: {
      // For this machine the running Bun serves; for another one Bun fetches that platform's.
      ...(target !== thisPlatform && { target: bun }),
      outfile,
      assets: [postgres],
      // What lies in the folder where an operator happens to start it must not change what it does.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  })
}

/** As ARDEN_COMMIT says, for builds from a copy without history; else of the work tree. */
const commit = async (): Promise<string | undefined> => {
  if (process.env.ARDEN_COMMIT) return process.env.ARDEN_COMMIT
  const described = await $`git describe --always --dirty ${'--exclude=*'}`
    .cwd(ROOT)
    .nothrow()
    .quiet()
  return described.exitCode === 0 ? described.text().trim() : undefined
}
