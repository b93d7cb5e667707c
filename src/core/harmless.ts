// Which letters a terminal obeys, and JSON without them: for what commands print, and for logs, which people read in terminals too.

/**
 * Control characters (also those from 0x80, which some terminals obey), marks that turn the direction of writing or
 * cannot be seen, halves of letters, and separators of lines and paragraphs.
 */
export const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** JSON that no terminal obeys. It reads back exactly: but for ends of lines, which stay, these characters stand in strings only. */
export function harmlessJson(json: string): string {
  return json.replace(UNSAFE, letter => (letter === '\n' ? letter : escaped(letter)))
}

/** As JSON writes it: one \\uXXXX for each half. */
function escaped(letter: string): string {
  return letter
    .split('')
    .map(half => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
