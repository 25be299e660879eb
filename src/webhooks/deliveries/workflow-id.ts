/**
 * The id of the workflow that owns a run of a delivery, as operators find it in Temporal: the first run
 * has the plain form, a redelivery or restart says which it is (contract 5.17).
 */
export const deliveryWorkflowId = (deliveryId: string, run: number): string =>
  run === 1 ? `delivery:${deliveryId}` : `delivery:${deliveryId}:${run}`
