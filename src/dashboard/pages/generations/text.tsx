import type { GenerationDetail } from '../../../content/generations/schema'
import { Preview } from '../articles/preview'
import { Card } from '../kit/layout/page'
import { useLanguage } from '../project-picker/language'

/** What has been written so far, in the order of the article. The article has it once it is completed. */
export const TextSoFar = ({ of: generation }: { of: GenerationDetail }) => {
  const text = textOf(generation)
  const lang = useLanguage(generation.project_id)
  if (text === '') return null
  return (
    <Card title="Text so far">
      <div className="p-4 text-sm">
        <Preview of={text} lang={lang} />
      </div>
    </Card>
  )
}

const textOf = ({ steps }: GenerationDetail): string =>
  steps
    .filter(({ step, text }) => step === 'section' && text !== null)
    .map(({ heading, text }) => (heading === null ? text : `## ${heading}\n\n${text}`))
    .join('\n\n')
