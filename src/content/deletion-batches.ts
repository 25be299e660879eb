/** Rows changed or deleted in one transaction, so few that its locks are short. Each article also records an event. */
export const ARTICLE_BATCH = 100
export const ROW_BATCH = 1_000
/** Versions of articles, of up to 1 MiB each. */
export const VERSION_BATCH = 200
