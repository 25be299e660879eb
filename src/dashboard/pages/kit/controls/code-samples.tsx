import { Tabs } from '@base-ui/react/tabs'
import { CopyButton } from './copy'

export type CodeSample = { language: string; code: string }

type Props = {
  /** Names the samples for screen readers. */
  label: string
  of: readonly CodeSample[]
}

/** The same in several languages, one at a time. */
export const CodeSamples = ({ label, of: samples }: Props) => (
  <Tabs.Root
    defaultValue={samples[0]?.language}
    className="overflow-hidden rounded-lg border border-line"
  >
    <Tabs.List aria-label={label} className="flex gap-1 border-b border-line bg-sunken px-2">
      {samples.map(({ language }) => (
        <Tabs.Tab
          key={language}
          value={language}
          className="-mb-px border-b-2 border-transparent px-2 py-2 text-xs font-medium text-muted hover:text-text focus-visible:-outline-offset-2 data-[active]:border-accent data-[active]:text-accent"
        >
          {language}
        </Tabs.Tab>
      ))}
    </Tabs.List>
    {samples.map(({ language, code }) => (
      <Tabs.Panel key={language} value={language} className="flex items-start">
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
          tabIndex={0}
          className="max-h-60 min-w-0 grow overflow-auto p-3 font-mono text-xs focus-visible:-outline-offset-2"
        >
          <code>{code}</code>
        </pre>
        <div className="p-1">
          <CopyButton text={code} label={`Copy the ${language} code`} />
        </div>
      </Tabs.Panel>
    ))}
  </Tabs.Root>
)
