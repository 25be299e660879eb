import type { CustomSlotSupplier, SlotPermit, WorkflowSlotInfo } from '@temporalio/worker'

export type WorkflowSlots = {
  supplier: CustomSlotSupplier<WorkflowSlotInfo>
  /** Counts the workflow task of an attempt as idle until `response` settles. */
  whileIdle: <T>(response: Promise<T>) => Promise<T>
}

/**
 * Slots for workflow tasks: at most `busy` that use the CPU, beside those whose attempt waits for an endpoint, and at
 * most `all` together. With `all` alone a worker would accept more tasks than it can begin in time: Temporal then gives
 * them to another worker as well, and both make the attempt. A poll for new workflows counts as busy, one for the next
 * task of a workflow that this worker has (sticky) does not: it may wait for a minute, and while such polls used up
 * `busy`, nothing new would begin.
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
  const stickyPolls = new Set<SlotPermit>()
  const waiting = new Set<() => void>()
  const isFree = () => reserved < all && reserved - stickyPolls.size - idle < busy()
  const reserve = ({ isSticky }: { isSticky: boolean }) => {
    const permit = {}
    reserved++
    if (isSticky) stickyPolls.add(permit)
    return permit
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
      tryReserveSlot: poll => (isFree() ? reserve(poll) : null),
      reserveSlot: (poll, signal) =>
        new Promise((resolve, reject) => {
          if (isFree()) return resolve(reserve(poll))
          const grant = () => resolve(reserve(poll))
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
      markSlotUsed: ({ permit }) => {
        stickyPolls.delete(permit)
      },
      releaseSlot: ({ permit }) => {
        stickyPolls.delete(permit)
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
