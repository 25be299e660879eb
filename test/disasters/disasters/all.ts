import type { Disaster } from '../disaster'
import { backup } from './backup'
import { dump } from './dump'
import { failover } from './failover'
import { fullDisk } from './full-disk'
import { leakedKey } from './leaked-key'
import { lostKey } from './lost-key'
import { pointInTime } from './point-in-time'
import { temporalStore } from './temporal-store'

export const DISASTERS: readonly Disaster[] = [
  backup,
  pointInTime,
  dump,
  failover,
  temporalStore,
  leakedKey,
  lostKey,
  fullDisk,
]
