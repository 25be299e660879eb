import type { Figure, Goal } from './figure'

export const ratioAtLeast = (value: number): Goal => ({ at: 'least', value, of: 'ratio' })
export const ratioAtMost = (value: number): Goal => ({ at: 'most', value, of: 'ratio' })
export const atLeast = (value: number): Goal => ({ at: 'least', value, of: 'product' })
export const atMost = (value: number): Goal => ({ at: 'most', value, of: 'product' })

/** Undefined without a goal. */
export const isMet = ({ goal, ratio, product }: Figure): boolean | undefined => {
  if (goal === undefined) return undefined
  const reached = goal.of === 'ratio' ? ratio?.median : product
  if (reached === undefined) return false
  return goal.at === 'least' ? reached >= goal.value : reached <= goal.value
}
