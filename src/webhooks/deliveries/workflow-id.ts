/** The id of the workflow of one run of a delivery (contract 5.17). Runs count from 1. */
export const deliveryWorkflowId = (deliveryId: string, run: number): string =>
  run === 1 ? `delivery:${deliveryId}` : `delivery:${deliveryId}:${run}`
