import type { Tx } from '../../../db/connect'
import type { Job } from '../../../outbox/outbox'
import { planSteps } from './store'

/**
 * Stores the outline, unless it has one, and plans the steps that follow from it. The generation is AWAITING_APPROVAL
 * if it is to be reviewed. Does nothing when it is not RUNNING, or QUEUED with headings of the brief.
 */
export const storeOutline = async (tx: Tx, { id, run }: Job, headings: string[]): Promise<void> => {
  const [row] = await tx<{ outline: string[] | null; is_planned: boolean }[]>`
    SELECT outline, EXISTS (
      SELECT FROM generation_steps WHERE generation_id = id AND position > 0) AS is_planned
    FROM generations
    WHERE id = ${id} AND run = ${run} AND status IN ('QUEUED', 'RUNNING') FOR UPDATE`
  if (row === undefined || row.is_planned) return
  const outline = row.outline ?? headings
  await planSteps(tx, id, outline)
  await tx`
    UPDATE generations
    SET outline = ${outline},
      status = CASE WHEN review_outline AND outline_approved_at IS NULL THEN 'AWAITING_APPROVAL' ELSE status END
    WHERE id = ${id}`
}
