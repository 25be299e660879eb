import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { History } from '@temporalio/common/lib/proto-utils'
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils'

/** A set of histories is a folder named by its day: `2026-01-31/deliverWebhook.cancelled.json`, then `2026-01-31-2`. */
const FOLDER = import.meta.dir
const SET = /^\d{4}-\d{2}-\d{2}(-\d{1,2})?$/

export type RecordedHistory = { file: string; workflow: string; json: string; history: History }

/** All histories of all sets. */
export const recordedHistories = async (): Promise<RecordedHistory[]> => {
  const sets = (await readdir(FOLDER)).filter(name => SET.test(name)).sort()
  const files = await Promise.all(
    sets.map(async set => (await readdir(join(FOLDER, set))).map(name => `${set}/${name}`)),
  )
  return Promise.all(
    files.flat().map(async file => {
      const json = await readFile(join(FOLDER, file), 'utf8')
      const [workflow = ''] = basename(file).split('.')
      return { file, workflow, json, history: historyFromJSON(JSON.parse(json)) }
    }),
  )
}

/** A new set for what is recorded now: histories are added, not replaced. */
export const newSet = async () => {
  const day = join(FOLDER, new Date().toISOString().slice(0, 10))
  let dir = day
  for (let n = 2; existsSync(dir); n++) dir = `${day}-${n}`
  await mkdir(dir)
  return async (workflow: string, what: string, history: History): Promise<void> => {
    const events = withoutMachine(JSON.parse(historyToJSON(history)))
    await writeFile(join(dir, `${workflow}.${what}.json`), `${JSON.stringify(events, null, 1)}\n`)
  }
}

/**
 * `value` without the members that identify the machine that recorded it, which a replay does not read: identities,
 * stack traces, and the queue of one process.
 */
const withoutMachine = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutMachine)
  if (typeof value !== 'object' || value === null) return value
  const isSticky = 'kind' in value && value.kind === 'TASK_QUEUE_KIND_STICKY'
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'stackTrace')
      .map(([name, inner]) => {
        if (name === 'identity') return [name, 'worker']
        if (isSticky && name === 'name') return [name, 'sticky']
        return [name, withoutMachine(inner)]
      }),
  )
}
