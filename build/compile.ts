import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { $ } from 'bun'
import { embeddedPages, pagesPlugin } from './embed-pages'
import { ROOT } from './root'
import { type Target, targets, thisPlatform } from './targets'
import { EMBEDDED, temporalPlugin, workflowThread } from './temporal-plugin'

/** Threads are started by their path, so each is an entry point. */
const ISOLATED_THREAD = join(ROOT, 'src', 'webhooks', 'transport', 'isolated-thread.ts')

type BuildInputs = {
  /** File with the bundled workflow code. */
  workflows: string
  /** Archive with the PostgreSQL programs. */
  postgres: string
}

/**
 * Compiles the binary for `target` to `outfile`. It contains the code, workflows, migrations, the OpenAPI
 * page, the dashboard, Temporal's native library, and PostgreSQL for `dev`.
 * @throws when a package differs from what the build expects, or the target's Bun cannot be downloaded.
 */
export const compile = async (
  target: Target,
  parts: BuildInputs,
  outfile: string,
): Promise<void> => {
  // Renamed when complete: a running binary keeps its file. Bun also writes source maps to the folder, which
  // the binary contains anyway.
  await mkdir(dirname(outfile), { recursive: true })
  const folder = await mkdtemp(`${outfile}.unfinished-`)
  try {
    await build(target, parts, join(folder, 'arden'))
    await rename(join(folder, 'arden'), outfile)
  } catch (error) {
    // The error only says "Bundle failed"; `errors` has the reason.
    const [reason = error] = error instanceof AggregateError ? error.errors : [error]
    throw reason
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const build = async (target: Target, { workflows, postgres }: BuildInputs, outfile: string) => {
  const { bun, temporal } = targets[target]
  const pages = await embeddedPages()
  await Bun.build({
    entrypoints: [join(ROOT, 'src', 'main.ts'), ISOLATED_THREAD, workflowThread(ROOT)],
    root: ROOT,
    target: 'bun',
    // Dynamic imports stay separate chunks: `serve` does not load Temporal's code.
    splitting: true,
    // Renaming identifiers breaks Elysia, which parses the source of its handlers.
    minify: { whitespace: true, syntax: true, identifiers: false },
    // 4 MB, read only when an error is printed, for its file names and lines.
    sourcemap: 'linked',
    define: {
      ARDEN_COMMIT: JSON.stringify(await commit()) ?? 'undefined',
      ARDEN_ISOLATED_THREAD: JSON.stringify(
        join(EMBEDDED, relative(ROOT, ISOLATED_THREAD)).replace(/\.ts$/, '.js'),
      ),
      // By default Bun inserts paths of the build machine, and packages would look for their files there.
      __dirname: JSON.stringify(EMBEDDED),
      __filename: JSON.stringify(join(EMBEDDED, 'file')),
    },
    plugins: [pagesPlugin(pages), temporalPlugin({ root: ROOT, triple: temporal, workflows })],
    compile: {
      // For other platforms Bun downloads their runtime; this one uses the running Bun.
      ...(target !== thisPlatform && { target: bun }),
      outfile,
      assets: [postgres],
      // Files in the working directory must not change the behavior of the binary.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  })
}

/**
 * ARDEN_COMMIT, for builds from a copy without Git history; otherwise the commit of the work tree.
 */
const commit = async (): Promise<string | undefined> => {
  if (process.env.ARDEN_COMMIT) return process.env.ARDEN_COMMIT
  const described = await $`git describe --always --dirty ${'--exclude=*'}`
    .cwd(ROOT)
    .nothrow()
    .quiet()
  return described.exitCode === 0 ? described.text().trim() : undefined
}
