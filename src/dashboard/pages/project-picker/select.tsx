import { FilterSelect } from '../kit/forms/filters'
import { Field, Select } from '../kit/forms/form'
import { Problem } from '../kit/layout/problem'
import { useMode } from '../mode'
import { useProjects } from './use-projects'

/** A field that selects a project. */
export const ChooseProject = (props: { value: string; onChange: (id: string) => void }) => {
  const projects = useProjects()
  const mode = useMode()
  const isNone = projects.rows?.length === 0
  return (
    <>
      <Field
        label="Project"
        name="project_id"
        {...(isNone && {
          hint: `You have no ${mode} projects yet. Create one on the Projects page.`,
        })}
      >
        <Select
          required
          value={props.value}
          onChange={event => props.onChange(event.target.value)}
          disabled={projects.rows === undefined || isNone}
        >
          <option value="">
            {projects.isPending ? 'Loading…' : isNone ? 'No projects' : 'Choose a project'}
          </option>
          {projects.rows?.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
      <Problem error={projects.error} onRetry={projects.refetch} />
    </>
  )
}

/** The filter of a list by project. */
export const FilterProject = (props: {
  value: string | undefined
  onChange: (id: string) => void
}) => {
  const { rows = [] } = useProjects()
  return (
    <FilterSelect
      label="Project"
      {...props}
      options={[['', 'All projects'], ...rows.map(({ id, name }) => [id, name] as const)]}
    />
  )
}
