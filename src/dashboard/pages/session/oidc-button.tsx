import { useMutation } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { call } from '../api/client'
import { Button } from '../kit/controls/button'
import { Problem } from '../kit/layout/problem'
import { keepOidcStart } from './oidc-start'

/** Signs in with the OpenID Connect provider that is configured; also accepts an invitation with it. */
export const OidcButton = ({ invitation }: { invitation?: string }) => {
  const { to } = useSearch({ strict: false }) as { to?: string }
  const begin = useMutation({
    mutationFn: async () => {
      const { data } = await call<{ data: { url: string } }>('POST', '/open/oidc', { body: {} })
      keepOidcStart({ invitation, to })
      location.assign(data.url)
    },
  })
  return (
    <>
      <Problem error={begin.error} />
      <Button className="w-full" busy={begin.isPending} onClick={() => begin.mutate()}>
        Continue with single sign-on
      </Button>
    </>
  )
}
