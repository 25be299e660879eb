import { type Fault, hold } from '../fault'
import type { Weather } from '../link'
import type { ArdenPart } from '../parts'

const SERVERS = { postgres: 'PostgreSQL', temporal: 'Temporal' } as const
type Server = keyof typeof SERVERS

const setWeather = (processes: ArdenPart[], server: Server, weather: Weather) => {
  for (const one of processes) one[server].set(weather)
  return () => {
    for (const one of processes) one[server].set('clear')
  }
}

const networkFault = (server: Server, kind: 'partition' | 'slow', about: string): Fault => {
  const name = `${kind}-${server}`
  return {
    name,
    about: `${about} between the workers and ${SERVERS[server]}`,
    run: hold(name, async ({ parts }) => setWeather(parts.workers, server, kind)),
  }
}

/** What happens to the network. */
export const networkFaults: Fault[] = [
  {
    name: 'frozen-client',
    about: 'a worker takes nothing of what PostgreSQL sends it',
    run: hold('frozen-client', async ({ parts }) =>
      setWeather([parts.workers[0]], 'postgres', 'no responses'),
    ),
  },
  networkFault('postgres', 'partition', 'nothing arrives'),
  networkFault('temporal', 'partition', 'nothing arrives'),
  networkFault('postgres', 'slow', '200 ms each way and 1 % of the packets lost'),
  networkFault('temporal', 'slow', '200 ms each way and 1 % of the packets lost'),
]
