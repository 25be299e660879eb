/** A fenced block of a document: ```` ```sh operator restore ```` has the language `sh`, the word `operator` and a name. */
export type Fence = {
  language: string
  word: string | undefined
  name: string | undefined
  text: string
  line: number
}

/** All of them, in order. @throws for one that is not closed. */
export const fencesOf = (markdown: string): Fence[] => {
  const fences: Fence[] = []
  let open: (Omit<Fence, 'text'> & { lines: string[] }) | undefined
  for (const [index, line] of markdown.split('\n').entries()) {
    const info = /^```(.*)$/.exec(line)?.[1]
    if (open === undefined) {
      if (info === undefined) continue
      const [language = '', word, name] = info.trim().split(/\s+/)
      open = { language, word, name, line: index + 1, lines: [] }
    } else if (info === undefined) open.lines.push(line)
    else {
      const { lines, ...fence } = open
      fences.push({ ...fence, text: lines.join('\n') })
      open = undefined
    }
  }
  if (open !== undefined) throw new Error(`the block of line ${open.line} is not closed`)
  return fences
}

/** Whether `output` has what a document shows: white space counts once, and `…` stands for anything. */
export const shows = (output: string, shown: string): boolean => {
  const parts = shown.trim().split('…')
  const pattern = parts.map(part => part.split(/\s+/).map(RegExp.escape).join('\\s+'))
  return new RegExp(pattern.join('[^]*?')).test(output)
}
