import type { Article } from '../../../content/articles/schema'
import { FullTime, Time } from '../kit/controls/time'

/** When an article was published, or will be. */
export const PublicationTimes = ({ of: { scheduled_at, published_at } }: { of: Article }) => (
  <>
    {scheduled_at !== null && (
      <span>
        Publication due <FullTime at={scheduled_at} />
      </span>
    )}
    {published_at !== null && (
      <span>
        Published <Time at={published_at} />
      </span>
    )}
  </>
)
