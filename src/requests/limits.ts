/** Failed requests that the log keeps of an account, a mode and an hour (contract 2.6). */
export const LOGGED_PER_HOUR = 500

/** Days after which a failed request is deleted. */
export const RETENTION_DAYS = 7

/** Failed requests that a process keeps until it writes them, about 2 KiB each, while PostgreSQL is away too. */
export const PENDING_MAX = 2_000
