/** Workflow tasks of deliveries that may use the CPU of a worker at a time. */
export const ACTIVE_WORKFLOW_TASKS = 50
