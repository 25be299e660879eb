/** An option's whole number; NaN for anything else, which no rule for a number lets pass. */
export const wholeNumber = (text: string): number =>
  /^\d+$/.test(text) ? Number(text) : Number.NaN
