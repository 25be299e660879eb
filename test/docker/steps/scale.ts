import type { Check } from '../check'
import { ready } from '../operator'
import { firstWebhook } from './first-webhook'

/** Four workers, all of which Arden itself sees, and two again. */
export const scale = async (check: Check): Promise<void> => {
  const { run } = check.operator
  await run('docker compose up --detach --scale worker=4')
  await ready(check.operator, 4)
  const workers = (await run('docker compose exec worker arden doctor')).match(
    /^ok +workers.*$/m,
  )?.[0]
  if (!workers?.includes('4 workers')) throw new Error(`arden doctor: ${workers}`)
  check.say(workers)
  await firstWebhook(check)
  await run('docker compose up --detach')
  await ready(check.operator)
}
