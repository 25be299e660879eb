import { useState } from 'react'
import type { Project } from '../../../content/projects/schema'
import { readableDomain, toDomain } from '../../../domain-name'
import { useChange } from '../api/queries'
import { BriefFields, toBriefMembers, toBriefText } from '../generations/brief'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { useChangedMembers, useOverwritten } from '../kit/forms/changed-members'
import { Field, Select, TextArea, TextInput } from '../kit/forms/form'
import { contentIn, useMode } from '../mode'
import { languageName, MATCHES, SCHEDULES } from './labels'

type Props = {
  /** Undefined to create a project. */
  of?: Project
  onClose: () => void
  onSaved: (project: Project) => void
}

export const ProjectDialog = ({ of: project, onClose, onSaved }: Props) => {
  const mode = useMode()
  const [name, setName] = useState(project?.name ?? '')
  const [domain, setDomain] = useState(readableDomain(project?.domain ?? ''))
  const [match, setMatch] = useState(project?.domain_match ?? 'domain')
  const [schedule, setSchedule] = useState(project?.rank_schedule ?? 'daily')
  const [timeZone, setTimeZone] = useState(project?.time_zone ?? localTimeZone())
  const [language, setLanguage] = useState(() => project?.language ?? localLanguage())
  const [style, setStyle] = useState(project?.style_guide ?? '')
  const [brief, setBrief] = useState(toBriefText(project?.brief ?? {}))
  const save = useChange<Project>('projects')
  const body = {
    name,
    domain: toDomain(domain) || null,
    domain_match: match,
    rank_schedule: schedule,
    time_zone: timeZone,
    language: toLanguage(language),
    style_guide: style || null,
  }
  const named = languageName(body.language)
  const defaults = toBriefMembers(brief)
  const changed = useChangedMembers(body)
  const changedDefaults = useChangedMembers(defaults)
  const overwrites = [
    ...useOverwritten(changed, project),
    ...useOverwritten(changedDefaults, project?.brief),
  ]
  const send = () =>
    save.mutate(
      project === undefined
        ? { method: 'POST', path: '/v1/projects', body: { ...body, brief: defaults } }
        : {
            method: 'PATCH',
            path: `/v1/projects/${project.id}`,
            asRead: true,
            body: {
              ...changed,
              ...(Object.keys(changedDefaults).length > 0 && { brief: changedDefaults }),
            },
          },
      { onSuccess: onSaved },
    )
  return (
    <FormDialog
      title={
        project === undefined ? `Create a ${contentIn(mode, 'project')}` : `Edit ${project.name}`
      }
      action={project === undefined ? 'Create' : 'Save'}
      change={save}
      overwrites={overwrites}
      onSubmit={send}
      onClose={onClose}
    >
      <Field label="Name" name="name">
        <TextInput autoFocus required value={name} onValueChange={setName} />
      </Field>
      <Field
        label="Domain"
        name="domain"
        invalid="Enter only the host name, such as blog.acme.com."
        hint="The host name to look for in search results, such as blog.acme.com. Optional."
      >
        <TextInput
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          value={domain}
          onValueChange={setDomain}
        />
      </Field>
      <Field
        label="Search results that count"
        name="domain_match"
        hint="Which results count as found, when rankings are tracked."
      >
        <Select
          value={match}
          onChange={event => setMatch(event.target.value as Project['domain_match'])}
        >
          {Object.entries(MATCHES).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </Select>
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Check rankings" name="rank_schedule">
          <Select
            value={schedule}
            onChange={event => setSchedule(event.target.value as Project['rank_schedule'])}
          >
            {Object.entries(SCHEDULES).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </Select>
        </Field>
        <Field
          label="Time zone"
          name="time_zone"
          hint="Rankings are checked at 04:00."
          invalid="Enter a time zone, such as Europe/Berlin or UTC."
        >
          <TextInput
            required
            autoCapitalize="none"
            spellCheck={false}
            value={timeZone}
            onValueChange={setTimeZone}
          />
        </Field>
      </div>
      <Field
        label="Language"
        name="language"
        invalid="Enter a language code, such as en, de or pt-BR."
        hint={`The language of its articles, such as en, de or pt-BR.${named ? ` This is ${named}.` : ''}`}
      >
        <TextInput
          required
          autoCapitalize="none"
          spellCheck={false}
          value={language}
          onValueChange={setLanguage}
        />
      </Field>
      <Field
        label="Style guide"
        name="style_guide"
        hint="How to write its articles: the voice, what to do, what not to do. Optional."
      >
        <TextArea rows={4} value={style} onChange={event => setStyle(event.target.value)} />
      </Field>
      <details open={hasBrief(project)}>
        <summary className="cursor-pointer text-sm font-medium">
          Defaults of its generations
        </summary>
        <div className="mt-3 space-y-4">
          <BriefFields value={brief} onChange={setBrief} />
        </div>
      </details>
    </FormDialog>
  )
}

/** BCP 47 ignores the case of `DE-at`; the API requires the first part in lower case. */
const toLanguage = (typed: string): string => {
  const [first = '', ...others] = typed.trim().split('-')
  return [first.toLowerCase(), ...others].join('-')
}

/** That of the browser, without a country that is the usual one: en for en-US, zh-TW. */
const localLanguage = (): string => {
  try {
    return new Intl.Locale(navigator.language).minimize().baseName
  } catch {
    // Chromium without a language of the system has en-US@posix.
    return 'en'
  }
}
const localTimeZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone

const hasBrief = (project: Project | undefined): boolean =>
  project !== undefined && Object.values(project.brief).some(value => value !== null)
