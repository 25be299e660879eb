import type { WebhookWithSecret } from '../../../webhooks/endpoints/schema'
import { CodeSamples } from '../kit/controls/code-samples'
import { DocLink } from '../kit/controls/doc-link'
import { SecretDialog } from '../kit/dialogs/secret'
import { secretSamples } from './samples'

type Props = { of: WebhookWithSecret; title: string; ifLost: string; onClose: () => void }

/** The new secret of a webhook, in both forms, and code that verifies deliveries with it. */
export const WebhookSecretDialog = ({ of: webhook, ...props }: Props) => (
  <SecretDialog
    {...props}
    secrets={[
      {
        label: 'Standard Webhooks secret',
        value: webhook.standard_webhooks_secret,
        about: 'For the SDK, and libraries of Standard Webhooks',
      },
      {
        label: 'secret',
        value: webhook.secret,
        about:
          'The same secret as 64 characters, for X-Webhook-Signature and the verifiers of the guide',
      },
    ]}
  >
    <CodeSamples label="Verify a delivery" of={secretSamples(webhook)} />
    <p className="text-sm">
      <DocLink to="/docs/guides/verify">Other languages, and what is signed</DocLink>
    </p>
  </SecretDialog>
)
