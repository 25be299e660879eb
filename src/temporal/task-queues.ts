/**
 * The task queue of generations, beside `taskQueue`, which has the deliveries: a burst of generations, or a provider
 * that is slow, takes no slot of a delivery.
 */
export const generationTaskQueue = (taskQueue: string): string => `${taskQueue}-generations`

/**
 * The task queue of deliveries of busy accounts: those that start more workflows than others, such as when all of their
 * endpoints fail.
 */
export const busyTaskQueue = (taskQueue: string): string => `${taskQueue}-busy`
