import type { Article } from '../../../content/articles/schema'
import { exactTime, Time } from '../kit/controls/time'

/** When an article was published, or will be. */
export const PublicationTimes = ({ of: { scheduled_at, published_at } }: { of: Article }) => (
  <>
    {scheduled_at !== null && (
      <span>
        Publication <Time at={scheduled_at} /> ({exactTime(scheduled_at)})
      </span>
    )}
    {published_at !== null && (
      <span>
        Published <Time at={published_at} />
      </span>
    )}
  </>
)
