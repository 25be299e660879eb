/** A prompt for one request. `version`, such as `section@1`, names the file and its version. */
export type Prompt = { system: string; prompt: string; version: string }

/** The text of each placeholder. A paragraph with one that is null or empty is left out. */
type Values<Name extends string> = { [name in Name]: string | null }

/**
 * Parses the file of a prompt: `version` between two lines of `---`, then the headings `# System` and `# Prompt` with
 * their texts. `{{name}}` stands for a value; `names` are those that the caller has.
 * @throws when the file has another form or another placeholder.
 */
export const parsePrompt = <Name extends string>(
  file: string,
  text: string,
  names: readonly Name[],
) => {
  const parts = /^---\nversion: (\d+)\n---\n\s*# System\n(.*?)\n# Prompt\n(.*)$/s.exec(text)
  if (parts === null)
    throw new Error(
      `${file}.md has another form than src/content/generations/prompts/README.md says`,
    )
  const [, version, system = '', prompt = ''] = parts
  for (const [, name = ''] of text.matchAll(PLACEHOLDER))
    if (!names.some(known => known === name))
      throw new Error(`${file}.md has {{${name}}}, which is none of ${names.join(', ')}`)
  return (values: Values<Name>): Prompt => ({
    system: fillIn(system, values),
    prompt: fillIn(prompt, values),
    version: `${file}@${version}`,
  })
}

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g

/** In one pass: a value that contains a placeholder stays as it is. */
const fillIn = (template: string, values: { [name: string]: string | null }): string =>
  template
    .trim()
    .split(/\n{2,}/)
    .filter(paragraph =>
      [...paragraph.matchAll(PLACEHOLDER)].every(([, name = '']) => values[name]),
    )
    .map(paragraph => paragraph.replace(PLACEHOLDER, (_, name: string) => values[name] ?? ''))
    .join('\n\n')
