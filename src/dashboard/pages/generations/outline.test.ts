import { expect, test } from 'bun:test'
import { toOutline } from './outline'

test('headings that were pasted as Markdown lose their marks', () => {
  expect(toOutline('## Grind size\n\n- Water\n* Time\n  ### Cleaning  \n')).toEqual([
    'Grind size',
    'Water',
    'Time',
    'Cleaning',
  ])
})

test('a number or a hashtag at the beginning of a heading stays', () => {
  expect(toOutline('1. Before you start\n#espresso on a budget\n-40 degrees')).toEqual([
    '1. Before you start',
    '#espresso on a budget',
    '-40 degrees',
  ])
})
