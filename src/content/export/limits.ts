/** Limits of an export (contract 6.17). Constants only: the dashboard imports them. */

/** Articles of one ZIP. Their ids are kept while it is sent: 1 MB. */
export const EXPORT_ARTICLES_MAX = 10_000
/** MiB of the bodies of one ZIP, which costs 30 ms of CPU for each as Markdown, and up to 220 ms as HTML. */
export const EXPORT_MIB_MAX = 128
/** Articles of a ZIP that are named by their ids: these fit into a request line. */
export const EXPORT_IDS_MAX = 300
/** ZIPs of an account that are sent at the same time, in each process. */
export const EXPORTS_OF_ACCOUNT_MAX = 2

export const EXPORT_FORMATS = ['markdown', 'html'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]
