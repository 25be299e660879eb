/**
 * Of what the lane for volume is given, `every` gets this share in the same turn: it makes about 100 deliveries a
 * second, and its figure is a rate.
 */
export const EVERY_SHARE = 0.03
