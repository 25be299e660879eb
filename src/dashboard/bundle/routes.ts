import { Elysia } from 'elysia'
import { DomainError } from '../../errors'
import { ASSETS, DASHBOARD } from '../paths'
import type { Asset } from './pages'

/** Only files of this server, and none inline: text that users enter cannot run as a script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
}

const ASSET_HEADERS = {
  // The name has a hash of the content.
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
}

/** The page, the same at every address of the dashboard, and its files. */
export const pagesRoutes = (pages: Promise<Asset[]>) => {
  const byPath = pages.then(files => new Map(files.map(file => [file.path, file])))
  // A failed build is reported by each request; unhandled, it would end the process.
  byPath.catch(() => {})
  const page = async ({ request }: { request: Request }) => {
    const index = (await byPath).get('index.html')
    if (index === undefined) throw new Error('the pages have no index.html')
    return respond(request, index, PAGE_HEADERS)
  }
  return new Elysia({ name: 'pages' })
    .get(`${ASSETS}/:file`, async ({ request, params }) => {
      const asset = (await byPath).get(params.file)
      if (asset === undefined)
        throw new DomainError('NOT_FOUND', 'This file belongs to another version. Reload the page.')
      return respond(request, asset, ASSET_HEADERS)
    })
    .get('/', ({ request, redirect }) => {
      if (!request.headers.get('accept')?.includes('text/html'))
        throw new DomainError('NOT_FOUND', 'There is no such route. See /docs for the API.')
      return redirect(DASHBOARD)
    })
    .get(DASHBOARD, page)
    .get(`${DASHBOARD}/*`, page)
}

/** In the smallest encoding that the client accepts. */
const respond = (request: Request, asset: Asset, headers: Record<string, string>): Response => {
  const accepted = request.headers.get('accept-encoding') ?? ''
  const encoding = (['br', 'gzip'] as const).find(
    name => asset[name] !== undefined && new RegExp(`\\b${name}\\b(?!;q=0)`).test(accepted),
  )
  return new Response(encoding === undefined ? asset.identity : asset[encoding], {
    headers: {
      ...headers,
      'content-type': asset.type,
      vary: 'accept-encoding',
      ...(encoding !== undefined && { 'content-encoding': encoding }),
    },
  })
}
