/** How long browsers use https only for this host after a response, in seconds: a year. */
const HTTPS_ONLY_S = 31_536_000

/** Headers of every response (contract 1.9). */
export const securityHeaders = (publicUrl: string | undefined): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  ...(publicUrl?.startsWith('https:') && {
    'strict-transport-security': `max-age=${HTTPS_ONLY_S}`,
  }),
})
