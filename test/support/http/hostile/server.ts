import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Arden } from '../../arden'
import type { ApiResponse } from '../../client'
import { CAN_MEASURE_PEAK, peakGrowthMiB, residentMiB } from '../../peak-memory'
import { spawnArden } from '../../process'
import { until } from '../../until'
import { checkResponse } from '../documented-responses'
import type { HostileRequest } from './requests'

/**
 * CPU time of the process for one request, in ms: 100 ms on an idle machine, and room for garbage collection, for
 * compilation and for the clock tick of 10 ms.
 */
const CPU_MAX_MS = 300
/** Measurements of a request before it fails: garbage of earlier requests can be collected during one of them. */
const MEASUREMENTS = 3
/** A request that takes longer has blocked the event loop. */
const TIMEOUT_MS = 60_000
const MEMORY_GROWTH_MAX_MIB = 64
/**
 * Peak above the memory before, for all requests of an operation: 64 MiB more for garbage, which is collected now and
 * then. In six runs with four seeds the largest was 61 MiB.
 */
const PEAK_GROWTH_MAX_MIB = MEMORY_GROWTH_MAX_MIB + 64
/** Linux counts CPU time in ticks of 10 ms, whatever its own clock. */
const TICK_MS = 10

type Headers = Record<string, string>

/** `arden serve` in a process of its own, whose CPU time and memory are measured. */
export const startMeasuredServer = async (arden: Arden) => {
  const { url, pid, kill } = await spawnArden('serve', {
    ...arden.env,
    ARDEN_TRUSTED_PROXIES: '127.0.0.1',
  })
  const cpuMs = () => {
    // The name of the process, in parentheses, can contain spaces. User time is field 14, system time field 15.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  }

  const memoryMiB = () => residentMiB(pid)

  const measure = async ({ method, path, headers, body }: HostileRequest, defaults: Headers) => {
    const before = cpuMs()
    const response = await fetch(url + path, {
      method,
      headers: { 'X-Forwarded-For': nextAddress(), ...defaults, ...headers },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body && { body: body() }),
    }).catch(async error => {
      // A blocked server would block every test that follows.
      if (error.name === 'TimeoutError') await kill('SIGKILL')
      throw error
    })
    return { response: await readResponse(response), cpuMs: cpuMs() - before }
  }

  return {
    url,
    stop: () => kill('SIGTERM'),
    /** Sends a request, and fails unless the server responds to it as documented, and at little cost. */
    checkRequestsWith:
      (defaults: Headers) =>
      async (request: HostileRequest): Promise<void> => {
        let problem = ''
        for (let n = 0; n < MEASUREMENTS; n++) {
          const { response, cpuMs } = await measure(request, defaults)
          checkForm(response, request.label)
          await checkResponse(url + request.path, request.method, response)
          // A busy machine can make a query time out.
          if (response.status === 503) problem = `was a 503: ${response.body.message}`
          else if (cpuMs > CPU_MAX_MS) problem = `took ${cpuMs} ms of CPU`
          else return
        }
        throw new Error(`${request.label} ${problem}, ${MEASUREMENTS} times`)
      },
    /** Fails if the memory of the server grows too much while it responds to `requests`. */
    checkPeak: async (name: string, requests: () => Promise<void>): Promise<void> => {
      if (!CAN_MEASURE_PEAK) return requests()
      const growth = Math.round(await peakGrowthMiB(pid, requests))
      if (growth > PEAK_GROWTH_MAX_MIB)
        throw new Error(
          `${name} took ${growth} MiB of memory, more than ${PEAK_GROWTH_MAX_MIB} MiB`,
        )
    },
    memoryMiB,
    /** Fails unless the memory returns to at most 64 MiB more than `baseline`. */
    checkMemoryReturns: async (baseline: number): Promise<void> => {
      expect((await fetch(`${url}/healthz`)).status).toBe(200)
      await until(
        `the server uses at most ${MEMORY_GROWTH_MAX_MIB} MiB more than ${Math.round(baseline)} MiB`,
        () => memoryMiB() <= baseline + MEMORY_GROWTH_MAX_MIB,
      )
    },
  }
}

/** Another address for each request: 401s and sign-ins of one address are delayed and limited. */
const nextAddress = () => {
  addresses++
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}
let addresses = 0

/** A stream of events has no end: its status and headers are all that is read. */
const readResponse = async (response: Response): Promise<ApiResponse> => {
  const { status, headers } = response
  if (headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return { status, headers, body: '' }
  }
  const text = await response.text()
  const isJson = headers.get('content-type')?.startsWith('application/json')
  return { status, headers, body: isJson ? JSON.parse(text) : text }
}

const checkForm = ({ status, headers, body }: ApiResponse, label: string) => {
  expect([label, status]).not.toEqual([label, 500])
  expect([label, headers.get('x-request-id')]).toEqual([
    label,
    expect.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
  ])
  if (status >= 400)
    expect([label, body]).toEqual([
      label,
      expect.objectContaining({ error: expect.any(String), message: expect.any(String) }),
    ])
}
