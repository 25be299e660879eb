// Text imports, so that the compiled binary contains the migrations.
import baseline from './001_baseline.sql' with { type: 'text' }
import updatedAt from './002_updated_at.sql' with { type: 'text' }

export type Migration = { version: number; name: string; text: string }

/**
 * In order. A number is never used again, and a released file never changes. Migrations define tables; functions, views
 * and triggers are in ../functions and are applied after the last migration, so a migration must not use them.
 */
export const migrations: readonly Migration[] = [
  ['001_baseline', baseline],
  ['002_updated_at', updatedAt],
].map(([name, text], index) => ({ version: index + 1, name: String(name), text: String(text) }))
