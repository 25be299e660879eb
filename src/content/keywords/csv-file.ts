import { describeDocument } from '../../http/request/binary-text'

/**
 * A file of keywords before its lines are read (contract 6.22). The dashboard and the command line check it before they
 * send it: a workbook may be larger than a request.
 */

/** Characters of a file. */
export const CSV_MAX = 500_000
/** Keywords of a file. */
export const CSV_LINES_MAX = 2000

/** What a client makes of bytes that are not UTF-8; U+0000 is in UTF-16, and in no CSV file. */
const NOT_UTF_8 = /[\uFFFD\0]/

/** Why a text cannot be a CSV file, with what to do; undefined when it can. */
export const describeWrongFile = (text: string): string | undefined => {
  if (text.trim() === '')
    return 'The file is empty. Choose a file whose first line names the columns, such as: keyword,country,tags'
  const document = describeDocument(text)
  if (document !== undefined) return document
  if (NOT_UTF_8.test(text))
    return 'The file is not UTF-8. Save it as "CSV UTF-8", and import it again.'
  return text.length > CSV_MAX
    ? `The file has more than ${CSV_MAX.toLocaleString('en')} characters. Divide it into several files.`
    : undefined
}
