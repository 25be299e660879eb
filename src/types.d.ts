declare module '*.sql' {
  const text: string
  export default text
}

// Imported `with { type: 'file' }`: a path, which in the compiled binary lies inside it.
declare module 'swagger-ui-dist/*' {
  const path: string
  export default path
}
