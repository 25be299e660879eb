/**
 * Fraction of the deliveries of `on-retry` that `every` gets in a measurement of the same length: it makes
 * about 100 deliveries a second.
 */
export const EVERY_FRACTION = 0.03
