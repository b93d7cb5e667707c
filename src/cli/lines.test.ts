import { expect, it } from 'vitest'
import { LINE_LETTERS_MAX, linesOf } from './lines.ts'

async function* pieces(...all: readonly (Uint8Array | string)[]) {
  yield* all
}

async function linesIn(...all: readonly (Uint8Array | string)[]): Promise<string[]> {
  const lines: string[] = []
  for await (const line of linesOf(pieces(...all))) lines.push(line)
  return lines
}

it('gives lines, however they are cut', async () => {
  const bytes = new TextEncoder().encode('é\r\n\nb\nlast')
  const cut = [...bytes].map(byte => Uint8Array.of(byte))
  expect(await linesIn(...cut)).toEqual(['é', '', 'b', 'last'])
  expect(await linesIn('a\n')).toEqual(['a'])
  expect(await linesIn()).toEqual([])
})

it('gives what came before a line that has no end, and refuses that', async () => {
  const piece = 'x'.repeat(LINE_LETTERS_MAX / 4)
  const endless = linesIn('a\n', piece, piece, piece, piece, 'x', piece)
  await expect(endless).rejects.toThrow(/line 2 has more than \d+ letters/)
  expect(await linesIn(piece, piece, piece, piece, '\n')).toHaveLength(1)
})
