/** Of all values that tests generate. With ARDEN_TEST_SEED=<n> they are others; a test that fails prints it. */
export const SEED = Number(process.env.ARDEN_TEST_SEED ?? 1)
