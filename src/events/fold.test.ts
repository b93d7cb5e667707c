import { expect, it } from 'vitest'
import { fold } from './fold.ts'

const plain = (text: string) => [...text].map(letter => letter.toUpperCase().toLowerCase()).join('')

it('is that of the engine, letter by letter, but for letters newer than the engine', () => {
  const different: string[] = []
  for (let code = 0; code < 0x11_0000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue
    const letter = String.fromCodePoint(code)
    // The capital ß folds to ß, and that to ss.
    if (fold(letter) !== plain(plain(letter))) different.push(letter)
  }
  // An engine of an older Unicode knows fewer pairs. What it knows, it must know alike.
  expect(different.filter(letter => plain(letter) !== letter)).toEqual([])
  expect(different.length).toBeLessThan(100)
})

it.each([
  ['Straße', 'STRASSE'],
  ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
  ['ﬁn', 'FIN'],
  ['K', 'k'],
])('%s and %s are the same', (one, other) => {
  expect(fold(one)).toBe(fold(other))
})

it('folding twice changes nothing', () => {
  for (const text of ['ẞ', 'ŉ', 'İ', 'ǰΐΰ', 'Ꭰ', 'ꭰ', '\ud800x']) expect(fold(fold(text))).toBe(fold(text))
})
