// How text that somebody else chose is shown: names of locks, objects and members, values, complaints, and errors that
// quote them. A terminal obeys what is in such text: it can clear the screen, rename the window, write over the line
// that warns of it, or turn the order of letters around.

import { harmlessJson, UNSAFE } from '../core/harmless.ts'

/** The text with everything that a terminal would obey written out: `\u{1b}[2J`. A backslash stays: it is not obeyed. */
export function printable(text: string): string {
  return text.replace(UNSAFE, letter => `\\u{${letter.codePointAt(0)!.toString(16)}}`)
}

/** A value that others filled, with every text in it printable, names of fields too. What is described is made of this. */
export function allPrintable<T>(value: T): T {
  if (typeof value === 'string') return printable(value) as T
  if (Array.isArray(value)) return value.map(allPrintable) as T
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [printable(field), allPrintable(inner)])) as T
}

const ESCAPE = String.fromCharCode(27)
const COLOUR = new RegExp(`(${ESCAPE}\\[[0-9;]*m)`)

/** The last look at a whole text for a terminal: our own colours and ends of lines stay, nothing else is obeyed. */
export function forTerminal(text: string): string {
  return text
    .split('\n')
    .map(line => {
      const pieces = line.split(COLOUR)
      return pieces.map((piece, at) => (at % 2 === 1 ? piece : printable(piece))).join('')
    })
    .join('\n')
}

/** JSON that a terminal does not obey either. It reads back exactly. */
export function jsonOf(value: unknown, indent?: number): string {
  return harmlessJson(JSON.stringify(value, undefined, indent) ?? 'null')
}
