/**
 * Marks of Chinese and Japanese, where no space ends an address, as a class of a regular expression. Of their block the
 * letters, such as in 佐々木 and 二〇, are not among them.
 */
export const WIDE_MARKS =
  '\\u3000-\\u3004\\u3008-\\u3020\\u3030\\u303d-\\u303f\\uff01-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65'
const UNTIL_WIDE_MARK = new RegExp(`^[^${WIDE_MARKS}]*`)

/** Marks that end a sentence or a quotation. */
export const END_MARKS: readonly string[] = [...`)?!.,:;*_~'"“”‘’«»‹›…–—،؛؟।`]

/**
 * The address that `text`, an address without brackets in a Markdown text, is: without the marks after it, and without a
 * bracket that begins before it. The same in the preview, in exports (contract 6.17) and in checks.
 */
export const addressIn = (text: string, marks = END_MARKS): string => {
  const [address = ''] = UNTIL_WIDE_MARK.exec(text) ?? []
  let unopened = address.split(')').length - address.split('(').length
  let end = address.length
  for (;;) {
    const mark = marks.find(one => address.endsWith(one, end))
    if (mark === undefined || (mark === ')' && unopened <= 0)) return address.slice(0, end)
    if (mark === ')') unopened--
    end -= mark.length
  }
}

/** What can follow in an address in HTML, as the renderer of exports writes it. */
const MORE = `[^\\s<>"&${WIDE_MARKS}]*`
const ADDRESS = `[a-z0-9\\u00c0-\\u1fff\\u2c00-\\u2fff\\u3041-\\udfff]${MORE}(?:&(?:amp|#39);${MORE})*`
const LINK = '<a[^<]*<\\/a>'
/**
 * An address without brackets that the renderer made no link of, such as one that is not in ASCII, or a link that was made
 * just now. As in the preview, one with a scheme can follow any letter but those of ASCII.
 */
export const WITH_SCHEME = new RegExp(`${LINK}|(^|[^a-z@.])(https?:\\/\\/${ADDRESS})`, 'gi')
export const WITHOUT_SCHEME = new RegExp(
  `${LINK}|(^|[^a-z0-9\\u00c0-\\udfff@._/-])(www\\.${ADDRESS})`,
  'gi',
)
/** An email address. The renderer would find it, too, but writes `max_` twice of `max_m@acme.com`. */
export const EMAIL_ADDRESS = new RegExp(
  `${LINK}|(^|[^a-z0-9\\u00c0-\\u1fff@._+/-])([a-z0-9._+-]+@[a-z0-9_-]+(?:\\.[a-z0-9_-]*[a-z0-9])+)`,
  'gi',
)
