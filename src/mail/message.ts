/** The content of an email. */
export type Message = { subject: string; text: string; html: string }

type Content = {
  subject: string
  paragraphs: readonly string[]
  /** A button in HTML, an address in the text. */
  action: { label: string; url: string }
  /** Below the button, in small print. */
  note: string
}

/** Colors of the light theme, because programs that show emails know no style sheets. */
const STYLE = {
  body: 'margin:0;padding:32px 16px;background:#f6f6f4;font:16px/1.5 system-ui,sans-serif;color:#1c1c1a',
  card: 'max-width:480px;margin:0 auto;padding:32px;background:#ffffff;border-radius:12px',
  button:
    'display:inline-block;padding:10px 20px;background:#4f46e5;color:#ffffff;border-radius:8px;text-decoration:none',
  note: 'font-size:13px;color:#5d5d58',
}

/** An email as text and as HTML. Whatever its parts contain is shown as text. */
export const composeMessage = ({ subject, paragraphs, action, note }: Content): Message => ({
  subject: onOneLine(subject),
  text: `${[...paragraphs, `${action.label}: ${action.url}`, note].join('\n\n')}\n`,
  html: `<!doctype html><html lang="en"><body style="${STYLE.body}"><div style="${STYLE.card}">${paragraphs
    .map(text => `<p>${Bun.escapeHTML(text)}</p>`)
    .join('')}<p><a href="${Bun.escapeHTML(action.url)}" style="${STYLE.button}">${Bun.escapeHTML(
    action.label,
  )}</a></p><p style="${STYLE.note}">${Bun.escapeHTML(note)}</p></div></body></html>`,
})

const SUBJECT_MAX = 200

const onOneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, SUBJECT_MAX)
