import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SettingsError } from '../core/index.ts'
import { bytesOf } from './values.ts'

const refusal = (value: unknown) => {
  try {
    bytesOf(value as string)
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError)
    return (error as Error).message
  }
  return undefined
}

describe('a value', () => {
  it('is text, as UTF-8, or bytes, as they are', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), text => new TextDecoder().decode(bytesOf(text)) === text))
    const bytes = Uint8Array.of(1, 2, 255)
    expect(bytesOf(bytes)).toBe(bytes)
    expect(bytesOf(Buffer.from('abc'))).toEqual(Buffer.from('abc'))
  })
  it.each([
    [[104, 300], 'value must be text or bytes, not an array.'],
    [5, 'value must be text or bytes, not the number 5.'],
    [null, 'value must be text or bytes, not null.'],
    [undefined, 'value must be text or bytes, not undefined.'],
    [{ a: 1 }, 'value must be text or bytes, not an object.'],
    [new Date(0), 'value must be text or bytes, not a Date.'],
    [new ArrayBuffer(3), 'value must be text or bytes, not an ArrayBuffer.'],
    [new Uint16Array(3), 'value must be text or bytes, not a Uint16Array.'],
    [true, 'value must be text or bytes, not true.'],
  ])('is never %o', (value, sentence) => {
    expect(refusal(value)).toBe(sentence)
  })
  it('is no half of a character, which would become another one', () => {
    expect(refusal('a\ud800')).toContain('half a character')
  })
})
