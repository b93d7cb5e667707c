// Lines of standard input, as they come. A line without an end must not fill the memory.

import { StringDecoder } from 'node:string_decoder'
import { FileError } from '../core/index.ts'

/** Letters of a line: an event has less than a mebibyte, and what JSON escapes is six times as long. */
export const LINE_LETTERS_MAX = 8 * 1024 * 1024

/** The lines, without their ends. Throws `FileError` at one that is too long. */
export async function* linesOf(input: AsyncIterable<Uint8Array | string>): AsyncGenerator<string, void, undefined> {
  const decoder = new StringDecoder('utf8')
  let [rest, count] = ['', 0]
  for await (const piece of input) {
    const lines = `${rest}${typeof piece === 'string' ? piece : decoder.write(piece as Buffer)}`.split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      count++
      yield line.endsWith('\r') ? line.slice(0, -1) : line
    }
    if (rest.length > LINE_LETTERS_MAX)
      throw new FileError(
        `line ${count + 1} has more than ${LINE_LETTERS_MAX} letters, and no end: an event is a line of JSON.`,
      )
  }
  rest += decoder.end()
  if (rest !== '') yield rest
}
