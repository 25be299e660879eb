/** An option's whole number; NaN for any other text, which every schema of a number rejects. */
export const wholeNumber = (text: string): number =>
  /^\d+$/.test(text) ? Number(text) : Number.NaN
