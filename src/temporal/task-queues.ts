/**
 * The task queue of generations, beside `taskQueue`, which has the deliveries: a burst of generations, or a provider
 * that is slow, takes no slot of a delivery.
 */
export const generationTaskQueue = (taskQueue: string): string => `${taskQueue}-generations`
