import type { WebhookWithSecret } from '../../../webhooks/endpoints/schema'
import type { CodeSample } from '../kit/controls/code-samples'

/**
 * How to check a delivery with a new secret. With curl there is nothing to receive with: that sample sends a signed
 * request as Arden does, to try the receiver.
 */
export const secretSamples = ({
  url,
  standard_webhooks_secret,
}: WebhookWithSecret): CodeSample[] => [
  {
    language: 'TypeScript',
    code: `// npm install standardwebhooks
import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? '')

// \`body\` is the text as received. Throws unless Arden sent it in the last 5 minutes.
export const readEvent = (body: string, headers: Record<string, string>) =>
  webhook.verify(body, headers)`,
  },
  {
    language: 'Python',
    code: `import base64, hmac, json, os, time

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))

def read_event(body: bytes, headers):
    """The event. \`body\` is as received; \`headers\` have lower-case names. Respond with 401 to a ValueError."""
    sent_at = headers.get("webhook-timestamp", "")
    signed = f"{headers.get('webhook-id', '')}.{sent_at}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(KEY, signed, "sha256"))
    given = headers.get("webhook-signature", "").encode().split(b" ")
    if not any(hmac.compare_digest(expected, one) for one in given):
        raise ValueError("Arden did not send this request.")
    if abs(time.time() - int(sent_at)) > 300:
        raise ValueError("The request is more than 5 minutes old.")
    return json.loads(body)`,
  },
  {
    language: 'curl',
    code: `export WEBHOOK_SECRET=${standard_webhooks_secret}

# Sends a signed request, as Arden does.
body='{"id":"evt_1","event":"article.published","created_at":"2026-01-31T12:00:00.000Z","data":{}}'
id=dlv_1 time=$(date +%s)
key=$(printf %s "\${WEBHOOK_SECRET#whsec_}" | base64 -d)
mac=$(printf %s "$id.$time.$body" | openssl dgst -sha256 -hmac "$key" -binary | base64)
hex=$(printf %s "$body" | openssl dgst -sha256 -hmac "$key" -r | cut -d ' ' -f 1)
curl -H 'Content-Type: application/json' -H 'X-Webhook-Event: article.published' \\
  -H "X-Webhook-Delivery-Id: $id" -H "X-Webhook-Signature: sha256=$hex" \\
  -H "X-Webhook-Timestamp: $(date -u +%Y-%m-%dT%H:%M:%S.000Z)" -H "webhook-id: $id" \\
  -H "webhook-timestamp: $time" -H "webhook-signature: v1,$mac" \\
  -d "$body" '${url.replaceAll("'", '%27')}'`,
  },
]
