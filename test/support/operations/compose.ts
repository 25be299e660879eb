import { join } from 'node:path'

const FILE = join(import.meta.dir, '../../../docker-compose.yml')

type Service = {
  image: string
  build?: { context: string; args: Record<string, string> }
  entrypoint?: string[]
  command?: string | string[]
  environment?: Record<string, string>
  volumes?: string[]
  ports?: string[]
  depends_on?: Record<string, { condition: string }>
  restart?: string
  profiles?: string[]
  stop_grace_period?: string
  deploy?: { replicas: number }
  healthcheck?: { test: string[] }
  logging?: { options: Record<string, string> }
  configs?: { source: string; target: string }[]
}
export type Compose = {
  services: Record<string, Service>
  volumes: Record<string, unknown>
  configs: Record<string, { content: string }>
}

export const composeText = await Bun.file(FILE).text()
/** The file is ours; what the tests read of it is what they check. */
export const compose = Bun.YAML.parse(composeText) as Compose

export const service = (name: string): Service => {
  const found = compose.services[name]
  if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}`)
  return found
}

/** The command of the service, word by word, as Docker passes it to the image. */
export const commandOf = (name: string, variables: Record<string, string>): string[] => {
  const { entrypoint = [], command = [] } = service(name)
  const words = typeof command === 'string' ? command.split(' ') : command
  return [...entrypoint, ...words].map(word => interpolate(word, variables))
}

/** The service's environment, with the caller's `variables` where the file refers to them. */
export const environmentOf = (
  name: string,
  variables: Record<string, string>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(service(name).environment ?? {}).map(([key, value]) => [
      key,
      interpolate(value, variables),
    ]),
  )

/** Replaces variables as Compose does: `${NAME}`, `${NAME:-default}`, `${NAME:?message}`, and `$$` for a dollar. */
const interpolate = (text: string, variables: Record<string, string>): string =>
  text.replaceAll(
    /\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (whole, name: string | undefined, operator: string | undefined, rest: string | undefined) => {
      if (name === undefined) return whole.slice(1)
      const value = variables[name] || (operator === '-' ? rest : undefined)
      if (value === undefined) throw new Error(`${name} is not set: ${rest ?? ''}`)
      return value
    },
  )
