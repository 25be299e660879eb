// Text imports, so that the compiled binary contains the migrations.
import baseline from './001_baseline.sql' with { type: 'text' }
import pauseChanged from './002_pause_changed.sql' with { type: 'text' }
import invitationEmail from './003_invitation_email.sql' with { type: 'text' }
import rankRuns from './004_rank_runs.sql' with { type: 'text' }

export type Migration = { version: number; name: string; text: string }

/**
 * In order. A number is never used again, and a released file never changes. Migrations define tables; functions, views
 * and triggers are in ../functions and are applied after the last migration, so a migration must not use them.
 */
export const migrations: readonly Migration[] = [
  ['001_baseline', baseline],
  ['002_pause_changed', pauseChanged],
  ['003_invitation_email', invitationEmail],
  ['004_rank_runs', rankRuns],
].map(([name, text], index) => ({ version: index + 1, name: String(name), text: String(text) }))
