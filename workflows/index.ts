/** The workflows that workers run: each export is one, by its name. */
export { deliverWebhook } from './deliver-webhook'
export { expire } from './expire'
export { generateArticle } from './generate-article'
export { trackRankings } from './track-rankings'
