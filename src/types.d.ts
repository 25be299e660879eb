declare module '*.sql' {
  const text: string
  export default text
}

// Imported `with { type: 'file' }`: a path, in the compiled binary of an embedded file.
declare module 'swagger-ui-dist/*' {
  const path: string
  export default path
}

declare module '*.md' {
  /** Imported as text. */
  const text: string
  export default text
}

declare module './*.css' {
  /** Imported as a file: its path. */
  const path: string
  export default path
}

declare module 'punycode.js' {
  /** `domain` with the labels that begin with `xn--` in their own letters. @throws {RangeError} where one stands for none. */
  const punycode: { toUnicode: (domain: string) => string }
  export default punycode
}
