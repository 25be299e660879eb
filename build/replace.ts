/** A text in a file of a package, and what stands there instead in the binary. */
export type Replacement = { find: string; put: string }

/**
 * `text` with each `find`, which must occur exactly once, replaced. `where` names the package, its version
 * and the file.
 * @throws when an upgraded package no longer has it: a binary built anyway would fail when it runs.
 */
export const replaceIn = (where: string, text: string, replacements: Replacement[]): string =>
  replacements.reduce((changed, { find, put }) => {
    const times = changed.split(find).length - 1
    if (times !== 1)
      throw new Error(
        `${where} has \`${find}\` ${times} times instead of once: this version is not the one the build was written for. Compare it with build/temporal-plugin.ts, which says what each replacement is for, and put that right.`,
      )
    return changed.replace(find, () => put)
  }, text)
