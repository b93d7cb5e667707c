import { InvalidArgumentError } from 'commander'
import { expect, test } from 'vitest'
import { bytesInWords, memorySize } from './size.ts'

test.each([
  ['1MB', 8_000_000],
  ['100kB', 800_000],
  ['100KB', 800_000],
  ['1.5 MiB', 12_582_912],
  ['64KiB', 524_288],
  ['2G', 16_000_000_000],
  ['8Mbit', 8_000_000],
  ['5000bits', 5000],
  ['12B', 96],
])('%s is %d bits', (text, bits) => {
  expect(memorySize(text)).toBe(bits)
})

test.each(['', '12', '1.5', 'MB', '-1MB', '1Mb', '1 XB', '1e6', 'NaN', '1MB2', '1toString'])('%j is refused', text => {
  expect(() => memorySize(text)).toThrow(InvalidArgumentError)
})

test('a bare number is refused with what was perhaps meant', () => {
  expect(() => memorySize('10')).toThrow('It must have a unit: 10MB, 10kB, 10B or 10bits.')
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1500, '1.5 kB'],
  [999_999, '1 MB'],
  [5_000_000_000, '5 GB'],
])('%d bytes are %s', (bytes, words) => {
  expect(bytesInWords(bytes)).toBe(words)
})
