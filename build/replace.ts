/** A text in a file of a package, and its replacement in the binary. */
export type Replacement = { find: string; put: string }

/**
 * Replaces each `find` in `text`, which must occur exactly once. `where` names the package, its version and
 * the file.
 * @throws when an upgraded package no longer has the text: such a binary would fail when it runs.
 */
export const replaceOnce = (where: string, text: string, replacements: Replacement[]): string =>
  replacements.reduce((changed, { find, put }) => {
    const times = changed.split(find).length - 1
    if (times !== 1)
      throw new Error(
        `${where} has \`${find}\` ${times} times instead of once: the build does not support this version. Adapt the replacement in build/temporal-plugin.ts, which documents what each one is for.`,
      )
    return changed.replace(find, () => put)
  }, text)
