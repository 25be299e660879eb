import type { Project } from '../../../content/projects/schema'
import { briefFacts } from '../generations/brief'
import { Card, Facts } from '../kit/layout/page'

/** How the articles of a project are written: its style guide and the defaults of its generations. */
export const Writing = ({ of: { style_guide, brief } }: { of: Project }) => {
  const facts = briefFacts(brief)
  const texts = [
    ['Style guide', style_guide],
    ['Instructions', brief.instructions],
  ].filter(([, text]) => text)
  if (facts.length === 0 && texts.length === 0) return null
  return (
    <Card title="Style guide and defaults of its generations">
      <div className="space-y-4 p-4">
        {facts.length > 0 && <Facts of={facts} />}
        {texts.map(([name, text]) => (
          <div key={name}>
            <p className="mb-1 text-sm text-muted">{name}</p>
            <p dir="auto" className="text-sm break-words whitespace-pre-wrap">
              {text}
            </p>
          </div>
        ))}
      </div>
    </Card>
  )
}
