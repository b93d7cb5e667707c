// How text that somebody else chose is shown: names of locks, objects and members, values, complaints, and errors that
// quote them. A terminal obeys what is in such text: it can clear the screen, rename the window, write over the line
// that warns of it, or turn the order of letters around.

/**
 * Control characters (also those from 0x80, which some terminals obey), marks that turn the direction of writing or
 * cannot be seen, halves of letters, and separators of lines and paragraphs.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

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

/** JSON that a terminal does not obey either. It reads back exactly: these characters stand in strings only. */
export function jsonOf(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, undefined, indent) ?? 'null'
  return json.replace(UNSAFE, letter => (letter === '\n' ? letter : escaped(letter)))
}

/** As JSON writes it: one \\uXXXX for each half. */
function escaped(letter: string): string {
  return letter
    .split('')
    .map(half => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
