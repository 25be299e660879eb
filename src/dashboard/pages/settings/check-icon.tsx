import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import type { CheckResult } from '../../../doctor/check'
import { cx } from '../kit/classes'

const VARIANTS = {
  ok: [CircleCheck, 'text-good', 'OK'],
  warn: [TriangleAlert, 'text-warn', 'Warning'],
  fail: [CircleX, 'text-bad', 'Failed'],
} as const

/** How a check ended. */
export const CheckIcon = ({ of: status }: { of: CheckResult['status'] }) => {
  const [Icon, colour, text] = VARIANTS[status]
  return <Icon role="img" aria-label={text} className={cx('mt-0.5 size-4 shrink-0', colour)} />
}
