import { createHash } from 'node:crypto'
import type { ModelProvider, Task } from './provider'

/**
 * The default provider, without a language model (contract 6.8): headings and paragraphs from keyword and project,
 * deterministic for a seed. The introduction says that it is an offline draft.
 */
export const offlineProvider: ModelProvider = {
  name: 'the offline provider',
  isOffline: true,
  complete: async ({ task, onStart, onText }) => {
    await onStart?.()
    const text = write(task)
    onText?.(text)
    return { text, model: null, inputTokens: null, outputTokens: null, costUsd: null }
  },
}

type Words = { keyword: string; Keyword: string; site: string }
type Text = (words: Words) => string

const TITLES: Text[] = [
  ({ Keyword }) => `${Keyword}: a practical guide`,
  ({ Keyword }) => `${Keyword}, explained`,
  ({ Keyword }) => `What to know about ${Keyword}`,
  ({ Keyword }) => `${Keyword}: where to begin`,
]

const OPENINGS: Text[] = [
  ({ keyword, site }) =>
    `Readers of ${site} who search for ${keyword} want an answer they can use. This draft gives it a shape.`,
  ({ keyword, site }) =>
    `There is more than one way to look at ${keyword}. On ${site} we begin with the questions that come up first.`,
  ({ keyword, site }) =>
    `This article of ${site} goes through ${keyword} step by step, from the first question to the last.`,
]

/** CHOSEN_SECTIONS of these are used, in this order. The keyword is in few of them: more would be stuffing (contract 6.15). */
const SECTIONS: [heading: Text, ...paragraphs: [Text, ...Text[]]][] = [
  [
    ({ keyword }) => `What ${keyword} means`,
    () => 'Begin with a definition in one sentence. Say who meets it, and in which situation.',
    () => 'Then name what it is often taken for, and how the two differ.',
  ],
  [
    () => 'Why it matters',
    () => 'Say what changes for a reader who gets it right, and what it costs not to.',
    () => 'One example from practice says more here than three general reasons.',
  ],
  [
    () => 'How it works',
    () => 'Explain it in the order in which a reader meets its parts.',
    () => 'A picture or a short table helps where a paragraph would need too many numbers.',
  ],
  [
    () => 'How to begin',
    () => 'List what is needed before the first step: time, tools, and what must be known already.',
    () => 'Then give the first step so that it can be taken today.',
  ],
  [
    () => 'What to compare',
    () => 'Name the choices there are, and by which measure they differ.',
    () => 'End with a recommendation for each kind of reader instead of one for all.',
  ],
  [
    () => 'Common mistakes',
    () => 'Three mistakes come up again and again. Say how each is seen.',
    () => 'For each of them, say what to do once it has happened.',
  ],
  [
    () => 'Questions and answers',
    () => 'Take the questions from what people type along with the keyword.',
    () => 'Answer each in two sentences, and link to where there is more.',
  ],
]
const CHOSEN_SECTIONS = 5
const CONCLUSION = 'Conclusion'

/** For a heading of the brief. */
const UNKNOWN_SECTION: [Text, Text] = [
  () => 'Say here what this heading promises, the answer first.',
  () => 'Then give one example, and say what a reader does next.',
]

const CLOSINGS: Text[] = [
  ({ keyword }) => `Readers who came this far know what to ask next about ${keyword}.`,
  ({ keyword }) => `There is more to say about ${keyword}.`,
  ({ keyword }) => `The best next step with ${keyword} is a small one.`,
]

const write = (task: Task): string => {
  const keyword = oneLine(task.keyword)
  const words = {
    keyword,
    Keyword: keyword.charAt(0).toUpperCase() + keyword.slice(1),
    site: oneLine(task.project.domain ?? task.project.name),
  }
  const draw = createDraw(`${task.seed}:${task.step}`)
  const pick = (texts: Text[]) => texts[draw(texts.length)]?.(words) ?? ''
  if (task.step === 'outline') {
    const sections = [...SECTIONS]
    while (sections.length > CHOSEN_SECTIONS) sections.splice(draw(sections.length), 1)
    return [...sections.map(([heading]) => heading(words)), CONCLUSION].join('\n')
  }
  if (task.step === 'metadata') return `Title: ${pick(TITLES)}\nMeta description: ${pick(CLOSINGS)}`
  if (task.heading === null) return introduction(task, pick(OPENINGS))
  if (task.heading === CONCLUSION) return pick(CLOSINGS)
  const known = SECTIONS.find(([heading]) => heading(words) === task.heading)
  const [, ...texts] = known ?? [null, ...UNKNOWN_SECTION]
  return texts.map(text => text(words)).join('\n\n')
}

const introduction = ({ instructions, project }: Task, opening: string): string =>
  [
    label(oneLine(project.name), project.language),
    opening,
    ...(instructions === null ? [] : [`Instructions:\n\n${quote(instructions)}`]),
  ].join('\n\n')

const label = (project: string, language: string) =>
  [
    `> **Offline draft.** Arden's built-in offline provider made this for the project ${project}, without a language model: it is an outline to write from, not a finished article.`,
    ...(language === 'en' || language.startsWith('en-')
      ? []
      : [`> The project's language is ${language}; the offline provider knows only English.`]),
  ].join('\n')

const quote = (text: string) =>
  text
    .trim()
    .split(/\r?\n/)
    .map(line => `> ${line}`)
    .join('\n')

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

/** A deterministic sequence of numbers below `n` for a seed. */
const createDraw = (seed: string) => {
  let count = 0
  return (n: number): number =>
    createHash('sha256').update(`${seed}:${count++}`).digest().readUInt32BE() % n
}
