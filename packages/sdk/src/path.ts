/**
 * Checks the members of a path such as `/projects/{id}`: without a value it would be another path, that of the list.
 * @throws {TypeError} for one that is absent, empty, `.` or `..`.
 */
export const assertPath = (path: string, members: Readonly<Record<string, unknown>> = {}): void => {
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g))
    if (/^\.{0,2}$/.test(String(members[name] ?? '')))
      throw new TypeError(
        `\`path.${name}\` of ${path} is empty, or not an id. Pass the id of the record.`,
      )
}
