import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { BunPlugin } from 'bun'
import { type Replacement, replaceIn } from './replace'

/** Where a compiled program sees the files it carries, each by its path below the root of the build. */
export const EMBEDDED = '/$bunfs/root'

/** The thread that runs workflows: an entry point of its own, for the SDK starts it by its path. */
export const workflowThread = (root: string) =>
  Bun.resolveSync('@temporalio/worker/lib/workflow/workflow-worker-thread.js', root)

const NOT_UNPACKED =
  "Temporal's native library (30 MB) cannot be unpacked and loaded. Set TMPDIR to a folder that can be written, and from which programs may be run."

/** What differs from build to build. */
export type TemporalParts = {
  /** The folder whose packages the program is made of, and in which all entry points are. */
  root: string
  /** The target as the SDK names it, such as `x86_64-unknown-linux-gnu`. */
  triple: string
  /** A file with the workflows' code, bundled. */
  workflows: string
}

/** Replacements in a file, or a text in place of the whole file. */
type Change = {
  package: string
  file: string
  replacements: Replacement[]
  instead?: string
}

/** 48 kB of WebAssembly, in base64. */
const sourceMapReader = (root: string) =>
  readFileSync(Bun.resolveSync('source-map/lib/mappings.wasm', root)).toString('base64')

/**
 * What must be different in the Temporal SDK for it to run inside a compiled program: it looks for files
 * on the disk, which there are none of.
 */
const temporalChanges = ({ root, triple, workflows }: TemporalParts): Change[] => [
  {
    package: '@temporalio/core-bridge',
    file: 'index.js',
    replacements: [
      // The SDK looks up which of its native libraries suits the machine. Only a `require` of a constant
      // path makes Bun carry the library inside, and it must be the target's, not the building machine's.
      // The system loads libraries from files alone, so Bun unpacks it first, which may fail.
      {
        find: 'const nativeLibPath = getPrebuiltPath();',
        put: `let library; try { library = require('./releases/${triple}/index.node') } catch (cause) { throw new Error(${JSON.stringify(NOT_UNPACKED)}, { cause }) }`,
      },
      { find: 'require(nativeLibPath)', put: 'library' },
    ],
  },
  {
    package: '@temporalio/worker',
    file: 'lib/workflow/threaded-vm.js',
    replacements: [
      // `require.resolve` would give the path that the thread's file had when it was built.
      {
        find: "require.resolve('./workflow-worker-thread')",
        put: JSON.stringify(join(EMBEDDED, relative(root, workflowThread(root)))),
      },
    ],
  },
  {
    package: 'source-map',
    file: 'lib/read-wasm.js',
    replacements: [
      // A worker reads the workflows' source map with it, and it lies on the disk beside the package.
      {
        find: 'const wasmPath = path.join(__dirname, "mappings.wasm");',
        put: `return resolve(new Uint8Array(Buffer.from('${sourceMapReader(root)}', 'base64')).buffer);`,
      },
    ],
  },
  {
    package: '@temporalio/worker',
    file: 'lib/workflow/vm-shared.js',
    replacements: [
      // Bun lacks this hook, which only serves stack traces in the Temporal UI. The SDK says so on stderr,
      // past the log and in each of its threads, and has no option not to.
      {
        find: "console.warn('v8.promiseHooks.createHook is not available; stack trace collection will be disabled.');",
        put: '',
      },
    ],
  },
  {
    package: '@temporalio/worker',
    file: 'lib/workflow/bundler.js',
    // Webpack and swc, which bundle workflows when a worker starts, read sources from the disk and are
    // 30 MB. In their place stands their result. The line shows that nothing more is exported by now.
    replacements: [
      {
        find: 'exports.WorkflowCodeBundler = exports.disallowedModules = exports.disallowedBuiltinModules = exports.allowedBuiltinModules = exports.defaultWorkflowInterceptorModules = void 0;',
        put: '',
      },
    ],
    instead: `
      import workflows from ${JSON.stringify(workflows)} with { type: 'file' }
      export const defaultWorkflowInterceptorModules = []
      export const bundleWorkflowCode = async () => ({ code: await Bun.file(workflows).text() })
      export class WorkflowCodeBundler {
        constructor() { throw new Error('This binary carries its workflows; it cannot bundle others.') }
      }`,
  },
]

/**
 * Makes these changes during a build.
 * @throws when a file is not as expected, or is no longer part of the program.
 */
export const temporalPlugin = (parts: TemporalParts): BunPlugin => ({
  name: 'temporal',
  setup: build => {
    const unused = new Set<string>()
    for (const { package: name, file, replacements, instead } of temporalChanges(parts)) {
      const manifest = Bun.resolveSync(`${name}/package.json`, parts.root)
      const path = join(dirname(manifest), file)
      unused.add(`${name}/${file}`)
      build.onLoad({ filter: new RegExp(`^${RegExp.escape(path)}$`) }, async () => {
        unused.delete(`${name}/${file}`)
        const where = `${name} ${(await Bun.file(manifest).json()).version}, ${file},`
        const changed = replaceIn(where, await Bun.file(path).text(), replacements)
        return { contents: instead ?? changed, loader: 'js' }
      })
    }
    build.onEnd(() => {
      if (unused.size > 0)
        throw new Error(
          `The program no longer contains ${[...unused].join(', ')}: this version of the SDK works in another way. Find out how, and put build/temporal-plugin.ts right.`,
        )
    })
  },
})
