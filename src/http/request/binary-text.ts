/** How the formats of Office begin when a client reads their bytes as UTF-8: ZIP (.xlsx, .docx, .ods), and .xls, .doc. */
const SIGNATURES = ['PK\u0003\u0004', '\uFFFD\uFFFD\u0011\u0871\u001A']

/** What a client sent that is a document and not text, with what to do; undefined for any other text. */
export const describeDocument = (text: string): string | undefined =>
  SIGNATURES.some(signature => text.startsWith(signature))
    ? 'This is an Excel workbook or another document that is not text. Save a workbook as "CSV UTF-8", and choose that file.'
    : undefined
