import type { CustomSlotSupplier, WorkflowSlotInfo } from '@temporalio/worker'

export type WorkflowSlots = {
  supplier: CustomSlotSupplier<WorkflowSlotInfo>
  /** Counts the workflow task of an attempt as idle until `response` settles. */
  whileIdle: <T>(response: Promise<T>) => Promise<T>
}

/**
 * Slots for workflow tasks: at most `busy` that use the CPU, polls included, beside those whose attempt waits for an
 * endpoint, and at most `all` together. With `all` alone a worker would accept more tasks than it can begin in time:
 * Temporal then gives them to another worker as well, and both make the attempt.
 */
export const createWorkflowSlots = ({
  busy,
  all,
}: {
  busy: () => number
  all: number
}): WorkflowSlots => {
  let reserved = 0
  let idle = 0
  const waiting = new Set<() => void>()
  const isFree = () => reserved < all && reserved - idle < busy()
  const reserve = () => {
    reserved++
    return {}
  }
  const wake = () => {
    for (const grant of waiting) {
      if (!isFree()) return
      waiting.delete(grant)
      grant()
    }
  }
  return {
    supplier: {
      type: 'custom',
      tryReserveSlot: () => (isFree() ? reserve() : null),
      reserveSlot: (_, signal) =>
        new Promise((resolve, reject) => {
          if (isFree()) return resolve(reserve())
          const grant = () => resolve(reserve())
          waiting.add(grant)
          signal.addEventListener(
            'abort',
            () => {
              waiting.delete(grant)
              reject(signal.reason)
            },
            { once: true },
          )
        }),
      markSlotUsed: () => {},
      releaseSlot: () => {
        reserved--
        wake()
      },
    },
    whileIdle: response => {
      idle++
      wake()
      return response.finally(() => idle--)
    },
  }
}
