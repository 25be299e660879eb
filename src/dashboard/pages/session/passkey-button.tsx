import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import { useMutation } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { call } from '../api/client'
import { Button } from '../kit/controls/button'
import { Problem } from '../kit/layout/problem'
import { useContinue } from './use-sign-in'
import { canUsePasskeys, requestPasskey } from './webauthn'

type RequestOptions = { data: PublicKeyCredentialRequestOptionsJSON }

/** Signs in with a passkey. */
export const PasskeyButton = () => {
  const continueTo = useContinue()
  const { to } = useSearch({ strict: false }) as { to?: string }
  const signIn = useMutation({
    mutationFn: async () => {
      const { data } = await call<RequestOptions>('POST', '/open/passkey/options', { body: {} })
      await call('POST', '/open/passkey/sign-in', { body: await requestPasskey(data) })
      await continueTo(to)
    },
  })
  if (!canUsePasskeys()) return null
  return (
    <>
      <Problem error={signIn.error} />
      <Button className="w-full" busy={signIn.isPending} onClick={() => signIn.mutate()}>
        {!signIn.isPending && <KeyRound aria-hidden className="size-4" />}
        Continue with a passkey
      </Button>
    </>
  )
}
