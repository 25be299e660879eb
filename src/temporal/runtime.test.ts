import { expect, test } from 'bun:test'
import pino from 'pino'
import { toTemporalLogger } from './runtime'

test('what the SDK repeats during an outage is no error, and other errors are', () => {
  const logged: [level: number, message: string][] = []
  const log = pino(
    { level: 'info' },
    {
      write: line => {
        const { level, msg } = JSON.parse(line)
        logged.push([level, msg])
      },
    },
  )
  const temporal = toTemporalLogger(log)
  temporal.error('gRPC call poll_activity_task_queue retried 16 times')
  temporal.warn('Workflow failed')
  temporal.error('Activity failed')
  expect(logged).toEqual([[50, 'Activity failed']])
})
