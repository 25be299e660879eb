import { useState } from 'react'
import type { Project } from '../../../content/projects/schema'
import { useChange } from '../api/queries'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { Field, Select, TextInput } from '../kit/forms/form'
import { useMode } from '../mode'

type Props = {
  /** Undefined to create a project. */
  of?: Project
  onClose: () => void
  onSaved: (project: Project) => void
}

export const ProjectDialog = ({ of: project, onClose, onSaved }: Props) => {
  const mode = useMode()
  const [name, setName] = useState(project?.name ?? '')
  const [domain, setDomain] = useState(project?.domain ?? '')
  const [match, setMatch] = useState(project?.domain_match ?? 'domain')
  const [language, setLanguage] = useState(project?.language ?? 'en')
  const save = useChange<Project>('projects')
  const send = () =>
    save.mutate(
      {
        ...(project === undefined
          ? { method: 'POST', path: '/v1/projects' }
          : { method: 'PATCH', path: `/v1/projects/${project.id}` }),
        body: { name, domain: domain || null, domain_match: match, language },
      },
      { onSuccess: onSaved },
    )
  return (
    <FormDialog
      title={project === undefined ? `Create a ${mode} project` : `Edit ${project.name}`}
      action={project === undefined ? 'Create' : 'Save'}
      change={save}
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
          <option value="domain">All of its registrable domain</option>
          <option value="subdomains">This host and its subdomains</option>
          <option value="host">This host only</option>
        </Select>
      </Field>
      <Field
        label="Language"
        name="language"
        invalid="Enter a language code, such as en, de or pt-BR."
        hint="The language of its articles, such as en, de or pt-BR."
      >
        <TextInput
          required
          autoCapitalize="none"
          spellCheck={false}
          value={language}
          onValueChange={setLanguage}
        />
      </Field>
    </FormDialog>
  )
}
