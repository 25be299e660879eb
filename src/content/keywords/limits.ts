/** Keywords of a request that generates an article for each (contract 6.24). */
export const GENERATIONS_MAX = 100
