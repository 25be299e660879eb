import { noResponse } from '../api/client'
import { checkConnection } from '../api/connection'

/**
 * Loads the module of a page. For a file that a newer version no longer has, the router reloads the page; without
 * a connection that would lead to the error page of the browser, so the error is another one.
 * @throws {ApiError} NO_RESPONSE while the server does not respond.
 */
export const loadPage = <T>(load: () => Promise<T>): Promise<T> =>
  load().catch(async (error: unknown) => {
    throw (await checkConnection()) ? error : noResponse('This page could not be loaded.')
  })
