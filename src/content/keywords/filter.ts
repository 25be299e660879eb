import { type Static, t } from 'elysia'
import { createdBetweenQuery, searchQuery } from '../../http/request/paging'
import { OneOf } from '../../http/schema'
import { Country, Device, Position, Tag } from './schema'
import { KEYWORD_SORTS } from './sort'

/** What selects and orders the keywords of a list (contract 6.2), in the API and in the CSV file of the dashboard. */
export const keywordFilterQuery = {
  ...createdBetweenQuery,
  ...searchQuery('`keyword`'),
  tracked: t.Optional(OneOf(['true', 'false'])),
  country: t.Optional(Country),
  device: t.Optional(Device),
  tag: t.Optional(Tag),
  position_min: t.Optional(Position({ description: 'Only of this position and worse ones.' })),
  position_max: t.Optional(Position({ description: 'Only of this position and better ones.' })),
  change: t.Optional(OneOf(['improved', 'declined', 'unchanged'])),
  sort: t.Optional(
    OneOf(KEYWORD_SORTS, {
      description:
        'By position, the best first, or by change, the largest gain first; with `-` the other way round. Newest first when absent.',
    }),
  ),
}

export const KeywordFilterQuery = t.Object(keywordFilterQuery)

export const toKeywordFilter = ({ tracked, ...query }: Static<typeof KeywordFilterQuery>) => ({
  ...query,
  ...(tracked === undefined ? {} : { tracked: tracked === 'true' }),
})
