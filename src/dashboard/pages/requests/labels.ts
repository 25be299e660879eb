/** Statuses of logged requests, as options of a filter. */
export const STATUSES = [
  ['400', '400 Invalid JSON'],
  ['402', '402 Plan limit reached'],
  ['403', '403 Forbidden'],
  ['404', '404 Not found'],
  ['405', '405 Method not allowed'],
  ['408', '408 Timeout'],
  ['409', '409 Conflict'],
  ['412', '412 Precondition failed'],
  ['413', '413 Too large'],
  ['415', '415 Unsupported type'],
  ['422', '422 Invalid request'],
  ['499', '499 Cut off by the client'],
  ['500', '500 Internal error'],
  ['503', '503 Unavailable'],
] as const
