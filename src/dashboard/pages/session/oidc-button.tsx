import { useMutation } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { call } from '../api/client'
import { Button } from '../kit/controls/button'
import { Problem } from '../kit/layout/problem'
import { keepOidcStart } from './oidc-start'
import { useSignInOptions } from './options'

/** Signs in with the OpenID Connect provider, where one is configured; also accepts an invitation with it. */
export const OidcButton = ({ invitation }: { invitation?: string }) => {
  const options = useSignInOptions()
  const { to } = useSearch({ strict: false }) as { to?: string }
  const begin = useMutation({
    mutationFn: async () => {
      const { data } = await call<{ data: { url: string } }>('POST', '/open/oidc', { body: {} })
      keepOidcStart({ invitation, to })
      location.assign(data.url)
    },
  })
  if (!options?.oidc) return null
  return (
    <div className="mt-4 space-y-4">
      <p className="flex items-center gap-3 text-xs text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        or
      </p>
      <Problem error={begin.error} />
      <Button className="w-full" busy={begin.isPending} onClick={() => begin.mutate()}>
        Continue with single sign-on
      </Button>
    </div>
  )
}
