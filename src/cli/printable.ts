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

/** The same for text of several lines, as our own sentences are: line ends stay. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}
