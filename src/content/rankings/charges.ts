import type { Sql } from '../../db/connect'

/** What a batch did for one project. `usd`: the price of its searches; null if one of them has an unknown price. */
type Done = { ranked: number; searches: number; usd: number | null }

/** Counts what a batch does for each project. */
export const createTally = () => {
  const byProject = new Map<string, Done>()
  const of = (projectId: string): Done => {
    const done = byProject.get(projectId) ?? { ranked: 0, searches: 0, usd: 0 }
    byProject.set(projectId, done)
    return done
  }
  return {
    ranked: (projectId: string): void => {
      of(projectId).ranked++
    },
    /** The provider charges a request, `usd` US dollars; null if that is unknown. */
    charge: (projectId: string, usd: number | null): void => {
      const done = of(projectId)
      done.searches++
      done.usd = usd === null || done.usd === null ? null : done.usd + usd
    },
    /** Adds the counts to the run (contract 6.20). A worker that is killed before loses those of its batch. */
    save: async (sql: Sql, run: string): Promise<void> => {
      for (const [projectId, { ranked, searches, usd }] of byProject) {
        await sql`
          UPDATE project_rank_runs SET ranked = ranked + ${ranked},
            searches = searches + ${searches}, cost_usd = cost_usd + ${usd}
          WHERE project_id = ${projectId} AND run_at = ${run} AND status = 'RUNNING'`
        await sql`
          UPDATE rank_runs SET searches = searches + ${searches}, cost_usd = cost_usd + ${usd}
          WHERE started_at = ${run}`
      }
      byProject.clear()
    },
  }
}
