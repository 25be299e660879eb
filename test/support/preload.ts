import { fromVariables } from './environment'

if (fromVariables(process.env) === undefined) {
  process.stderr.write('Run `bun run test [files]`: it starts PostgreSQL and Temporal first.\n')
  process.exit(1)
}
