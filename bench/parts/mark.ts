import type { Figure, Mark } from './figure'

export const ratioAtLeast = (value: number): Mark => ({ at: 'least', value, of: 'ratio' })
export const ratioAtMost = (value: number): Mark => ({ at: 'most', value, of: 'ratio' })
export const atLeast = (value: number): Mark => ({ at: 'least', value, of: 'product' })
export const atMost = (value: number): Mark => ({ at: 'most', value, of: 'product' })

/** Undefined where there is no mark. */
export const isMet = ({ mark, ratio, product }: Figure): boolean | undefined => {
  if (mark === undefined) return undefined
  const reached = mark.of === 'ratio' ? ratio?.median : product
  if (reached === undefined) return false
  return mark.at === 'least' ? reached >= mark.value : reached <= mark.value
}
