/** The two ways to make a delivery's first attempt (ARDEN_WORKFLOWS): what holds in one holds in both. */
export const LANES = ['every', 'on-retry'] as const
export type Lane = (typeof LANES)[number]

export const settingsOf = (lane: Lane) => ({ ARDEN_WORKFLOWS: lane })
