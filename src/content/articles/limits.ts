/** Articles of a batch (contract 6.16): their rows are locked in one transaction. A constant only: the dashboard imports it. */
export const ARTICLE_BATCH_MAX = 50
