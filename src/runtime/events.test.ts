import { expect, it } from 'vitest'
import { whyScarce } from './events.ts'

it('says with which memory to start a server that is to keep more than this process has', () => {
  const heap = 4 * 2 ** 30
  expect(whyScarce(undefined, heap)).toBeUndefined()
  expect(whyScarce(Math.floor(heap / 5), heap)).toBeUndefined()
  expect(whyScarce(Math.ceil(heap / 5) + 1, heap)).toContain('--max-old-space-size=4097')
  expect(whyScarce(2_400_000_000, heap)).toMatch(/keepAllMax .* 2400000000.* 11445 MiB .* may use 4096/)
})
