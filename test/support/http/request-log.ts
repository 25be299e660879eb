import type { FailedRequest } from '../../../src/requests/schema'
import type { ApiResponse, Client } from '../client'
import { until } from '../until'

export const requestIdOf = ({ headers }: { headers: Headers }) => headers.get('x-request-id') ?? ''

/** The entry of the request log for a response, when it has been written. */
export const logEntryOf = (as: Pick<Client, 'get'>, response: Pick<ApiResponse, 'headers'>) =>
  until('the request is in the log', async (): Promise<FailedRequest | undefined> => {
    const { body } = await as.get(`/requests?request_id=${requestIdOf(response)}`)
    return body.data[0]
  })
