import { compose } from '../../support/operations/compose'
import type { Operator } from '../operator'

const MB = 1e6
const MIB = 2 ** 20

type Stats = { Name: string; MemUsage: string }

const bytesOf = (text: string): number => {
  const [, value = '', unit = ''] = /^([\d.]+)([KMG]?)i?B/.exec(text.trim()) ?? []
  return Number(value) * ({ K: 2 ** 10, M: MIB, G: 2 ** 30 }[unit] ?? 1)
}

/** The memory of each service, in MiB: the largest of its containers. */
export const memory = async ({ run }: Operator): Promise<Map<string, number>> => {
  const used = new Map<string, number>()
  const lines = (await run('docker compose stats --no-stream --format json')).split('\n')
  for (const line of lines.filter(Boolean)) {
    const { Name, MemUsage }: Stats = JSON.parse(line)
    const service = /^arden-check-(.+)-\d+$/.exec(Name)?.[1] ?? Name
    const mib = bytesOf(MemUsage.split('/')[0] ?? '') / MIB
    used.set(service, Math.max(mib, used.get(service) ?? 0))
  }
  return used
}

/** Prints the table of docs/operations.md, "With Docker Compose". */
export const figures = async (
  { run }: Operator,
  { idle, busy, readyS }: { idle: Map<string, number>; busy: Map<string, number>; readyS: number },
  say: (line: string) => void,
): Promise<void> => {
  const image = compose.services.serve?.image ?? ''
  const size = Number(await run(`docker image inspect --format '{{.Size}}' ${image}`)) / MB
  say(
    `\nimage ${size.toFixed(0)} MB; from nothing to a key and ready ${readyS.toFixed(0)} s, with the image built`,
  )
  const rows = [...idle].map(([service, mib]) => {
    const after = busy.get(service)
    return `| \`${service}\` | ${mib.toFixed(0)} MiB | ${after?.toFixed(0) ?? '-'} MiB |`
  })
  say(['| Service | Idle | After the load |', '| --- | --- | --- |', ...rows.sort()].join('\n'))
}
