// The bytes of `coterie dedup`: standard input, or files one after another.

import { createReadStream } from 'node:fs'
import { cannotRead } from '../output.ts'

/** Larger pieces gain nothing more; they only push the filter out of the processor's cache. */
const PIECE_BYTES = 256 * 1024
const NEWLINE = 10

/** `-` is standard input, and so is no file at all. */
export async function* inputOf(files: readonly string[]): AsyncGenerator<Uint8Array> {
  const names = files.length === 0 ? ['-'] : files
  for (const [place, name] of names.entries()) {
    let last = NEWLINE
    for await (const piece of piecesOf(name)) {
      if (piece.length === 0) continue
      // Before it is handed on: who takes it may write over it.
      last = piece[piece.length - 1]!
      yield piece
    }
    // The last line of one file and the first of the next are two lines.
    if (last !== NEWLINE && place < names.length - 1) yield Uint8Array.of(NEWLINE)
  }
}

async function* piecesOf(name: string): AsyncGenerator<Uint8Array> {
  const stream = name === '-' ? process.stdin : createReadStream(name, { highWaterMark: PIECE_BYTES })
  try {
    for await (const piece of stream) yield piece as Uint8Array
  } catch (error) {
    throw cannotRead(name === '-' ? 'standard input' : name, error)
  }
}
