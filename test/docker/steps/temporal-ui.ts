import { deliveryWorkflowId } from '../../../src/webhooks/deliveries/workflow-id'
import { until } from '../../support/until'
import type { Check } from '../check'

const UI = 'http://127.0.0.1:8080'
const CLOSES_S = 30

/** The UI serves its page, and its API has the workflow of the delivery. */
export const temporalUi = async ({ say }: Check, delivery: string): Promise<void> => {
  const page = await fetch(UI)
  if (!page.ok || !(await page.text()).includes('<html'))
    throw new Error(`The Temporal UI responds ${page.status}.`)
  const id = deliveryWorkflowId(delivery, 1)
  const path = `/api/v1/namespaces/default/workflows/${encodeURIComponent(id)}`
  const status = await until(
    `the Temporal UI has ${id} as completed`,
    async () => {
      const response = await fetch(`${UI}${path}`)
      if (!response.ok) return undefined
      const { workflowExecutionInfo: info } = (await response.json()) as {
        workflowExecutionInfo: { status: string }
      }
      return info.status.endsWith('COMPLETED') && info.status
    },
    CLOSES_S,
  )
  say(`${id}: ${status}`)
}
