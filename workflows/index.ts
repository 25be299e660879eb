/** The workflows that workers register. The name of an export is its workflow type. */
export { deliverWebhook } from './deliver-webhook'
export { expire } from './expire'
export { generateArticle } from './generate-article'
export { publishScheduled } from './publish-scheduled'
export { rankProject } from './rank-project'
export { runRankTracking, trackRankingShard, trackRankings } from './track-rankings'
