// Text imports, so that the compiled binary carries the migrations inside.
import init from './001_init.sql' with { type: 'text' }
import admit from './002_admit.sql' with { type: 'text' }

/** In order; a number is never used again and a released file never changes. */
export const migrations = [
  ['001_init', init],
  ['002_admit', admit],
].map(([name, text], index) => ({
  version: index + 1,
  name: String(name),
  text: String(text),
}))
