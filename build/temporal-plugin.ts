import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { BunPlugin } from 'bun'
import { LIBRARY_NOT_LOADED } from '../src/temporal/library'
import { type Replacement, replaceOnce } from './replace'

/** Path of embedded files in a compiled binary, below the root of the build. */
export const EMBEDDED = '/$bunfs/root'

/**
 * The thread that runs workflows. A separate entry point, because the SDK starts it by its path.
 */
export const workflowThread = (root: string) =>
  Bun.resolveSync('@temporalio/worker/lib/workflow/workflow-worker-thread.js', root)

const NOT_UNPACKED =
  "Temporal's native library (30 MB) cannot be unpacked and loaded. Set TMPDIR to a writable folder that permits executables."

/** The inputs of a build. */
type TemporalInputs = {
  /** The folder with node_modules and all entry points. */
  root: string
  /** The SDK's name of the target, such as `x86_64-unknown-linux-gnu`. */
  triple: string
  /** File with the bundled workflow code. */
  workflows: string
}

/** Replacements in a file, or `instead`, a new content. */
type Change = {
  package: string
  file: string
  replacements: Replacement[]
  instead?: string
}

/** 48 kB of WebAssembly in base64. */
const sourceMapReader = (root: string) =>
  readFileSync(Bun.resolveSync('source-map/lib/mappings.wasm', root)).toString('base64')

/** Changes to the Temporal SDK for a compiled binary, where its files do not exist on disk. */
const temporalChanges = ({ root, triple, workflows }: TemporalInputs): Change[] => [
  {
    package: '@temporalio/core-bridge',
    file: 'index.js',
    replacements: [
      // The SDK picks its native library at run time. Bun only embeds a `require` with a constant path, which
      // must be for the target. Bun unpacks the library to load it, which may fail.
      {
        find: 'const nativeLibPath = getPrebuiltPath();',
        put: `let library; try { library = require('./releases/${triple}/index.node') } catch (cause) { throw Object.assign(new Error(${JSON.stringify(NOT_UNPACKED)}, { cause }), { code: ${JSON.stringify(LIBRARY_NOT_LOADED)} }) }`,
      },
      { find: 'require(nativeLibPath)', put: 'library' },
    ],
  },
  {
    package: '@temporalio/worker',
    file: 'lib/workflow/threaded-vm.js',
    replacements: [
      // `require.resolve` would return the path on the build machine.
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
      // A worker reads source maps with this file, which is on disk beside the package.
      {
        find: 'const wasmPath = path.join(__dirname, "mappings.wasm");',
        put: `return resolve(new Uint8Array(Buffer.from('${sourceMapReader(root)}', 'base64')).buffer);`,
      },
    ],
  },
  {
    package: '@temporalio/worker',
    file: 'lib/workflow/bundler.js',
    // Webpack and swc, which bundle workflows at start, need the sources on disk and are 30 MB. The existing
    // bundle replaces them. This line proves that the module still has the same exports.
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
        constructor() { throw new Error('This binary contains its workflows and cannot bundle others.') }
      }`,
  },
]

/**
 * A Bun plugin that makes these changes during a build.
 * @throws when a file differs from what is expected, or is no longer part of the program.
 */
export const temporalPlugin = (parts: TemporalInputs): BunPlugin => ({
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
        const changed = replaceOnce(where, await Bun.file(path).text(), replacements)
        return { contents: instead ?? changed, loader: 'js' }
      })
    }
    build.onEnd(() => {
      if (unused.size > 0)
        throw new Error(
          `The program no longer contains ${[...unused].join(', ')}: this version of the SDK works differently. Adapt build/temporal-plugin.ts to it.`,
        )
    })
  },
})
