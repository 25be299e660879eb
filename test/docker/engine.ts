import { imagesNeeded } from './stand-ins/build'

/** The oldest API of an engine that has `start_interval`: that of Docker 25. */
const OLDEST_API = '1.44'

const output = async (command: string[]): Promise<string | undefined> => {
  const { exitCode, stdout } = await Bun.$`${command}`.quiet().nothrow()
  return exitCode === 0 ? stdout.toString().trim() : undefined
}

/** Why nothing can be run in containers here, in one sentence; undefined where it can. */
export const missingEngine = async (): Promise<string | undefined> => {
  if (Bun.which('docker') === null) return 'there is no `docker` on PATH'
  if ((await output(['docker', 'compose', 'version'])) === undefined)
    return '`docker compose` is not installed'
  const api = await output(['docker', 'version', '--format', '{{.Server.APIVersion}}'])
  if (api === undefined) return 'no Docker engine responds (DOCKER_HOST, or /var/run/docker.sock)'
  if (Bun.semver.order(`${api}.0`, `${OLDEST_API}.0`) < 0)
    return `the Docker engine has API ${api}; Docker 25 or newer is needed, with API ${OLDEST_API}`
  return undefined
}

/** The first image that the engine neither has nor can pull; undefined when it has all. */
export const missingImage = async (): Promise<string | undefined> => {
  for (const image of await imagesNeeded()) {
    if ((await output(['docker', 'image', 'inspect', image])) !== undefined) continue
    if ((await output(['docker', 'pull', '--quiet', image])) === undefined) return image
  }
  return undefined
}

/** The address of this machine on Docker's default network, which containers of every network reach. */
export const machineAddress = async (): Promise<string> => {
  const format = '{{(index .IPAM.Config 0).Gateway}}'
  const address = await output(['docker', 'network', 'inspect', 'bridge', '--format', format])
  if (!address) throw new Error("Docker's network `bridge` has no gateway.")
  return address
}
