/** The error of a delivery whose workflow an operator terminated or cancelled. */
export const STOPPED = 'stopped in Temporal'
