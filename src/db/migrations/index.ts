// Text imports, so that the compiled binary carries the migrations inside.
import init from './001_init.sql' with { type: 'text' }
import admit from './002_admit.sql' with { type: 'text' }
import rankings from './003_rankings.sql' with { type: 'text' }
import generations from './004_generations.sql' with { type: 'text' }
import usage from './005_usage.sql' with { type: 'text' }
import idempotency from './006_idempotency.sql' with { type: 'text' }
import incidents from './007_incidents.sql' with { type: 'text' }
import fair from './008_fair.sql' with { type: 'text' }
import slowShare from './009_slow_share.sql' with { type: 'text' }
import noJit from './010_no_jit.sql' with { type: 'text' }
import lane from './011_lane.sql' with { type: 'text' }
import laneSpeed from './012_lane_speed.sql' with { type: 'text' }
import hitRuns from './013_hit_runs.sql' with { type: 'text' }
import people from './014_people.sql' with { type: 'text' }
import overview from './015_overview.sql' with { type: 'text' }
import lateOutcomes from './016_late_outcomes.sql' with { type: 'text' }
import eventStream from './017_event_stream.sql' with { type: 'text' }
import ordered from './018_ordered.sql' with { type: 'text' }
import heldWebhooks from './019_held_webhooks.sql' with { type: 'text' }

export type Migration = { version: number; name: string; text: string }

/** In order; a number is never used again and a released file never changes. */
export const migrations: readonly Migration[] = [
  ['001_init', init],
  ['002_admit', admit],
  ['003_rankings', rankings],
  ['004_generations', generations],
  ['005_usage', usage],
  ['006_idempotency', idempotency],
  ['007_incidents', incidents],
  ['008_fair', fair],
  ['009_slow_share', slowShare],
  ['010_no_jit', noJit],
  ['011_lane', lane],
  ['012_lane_speed', laneSpeed],
  ['013_hit_runs', hitRuns],
  ['014_people', people],
  ['015_overview', overview],
  ['016_late_outcomes', lateOutcomes],
  ['017_event_stream', eventStream],
  ['018_ordered', ordered],
  ['019_held_webhooks', heldWebhooks],
].map(([name, text], index) => ({
  version: index + 1,
  name: String(name),
  text: String(text),
}))
