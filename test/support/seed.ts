/** Seed of all generated values. ARDEN_TEST_SEED=<n> sets another one; a failed run prints it. */
export const SEED = Number(process.env.ARDEN_TEST_SEED ?? 1)
