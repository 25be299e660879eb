/** Platforms of the binary, with their names in Bun and in the Temporal SDK. */
export const targets = {
  'linux-x64': { bun: 'bun-linux-x64', temporal: 'x86_64-unknown-linux-gnu' },
  'linux-arm64': { bun: 'bun-linux-arm64', temporal: 'aarch64-unknown-linux-gnu' },
  'darwin-arm64': { bun: 'bun-darwin-arm64', temporal: 'aarch64-apple-darwin' },
} as const

export type Target = keyof typeof targets

export const isTarget = (name: string): name is Target => name in targets

/** The platform of this machine, which may not be a target. */
export const thisPlatform = `${process.platform}-${process.arch}`
