// Blocks of internet addresses: 10.0.0.0/8, 2001:db8::/32. An address is its bytes as text of bits' worth of hex digits,
// so that a block is a prefix of it.

const IPV4_BITS = 32
const IPV6_BITS = 128
const IPV6_WORDS = 8
/** The longest way to write an IPv6 address has 45 characters. */
const ADDRESS_LENGTH_MAX = 45

/** A block: the address's 16-bit words, and how many leading bits count. */
export interface Network {
  readonly words: readonly number[]
  readonly bits: number
}

/** An address as 16-bit words: two of them for IPv4, eight for IPv6. Undefined where it is none. */
export function addressOf(text: string): readonly number[] | undefined {
  if (text.length > ADDRESS_LENGTH_MAX) return undefined
  return text.includes(':') ? ipv6(text) : ipv4(text)
}

function ipv4(text: string): readonly number[] | undefined {
  const parts = text.split('.')
  // No leading zeros, which some readers take for octal numbers.
  if (parts.length !== 4 || !parts.every(part => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined
  const [a, b, c, d] = parts.map(Number) as [number, number, number, number]
  return [a * 256 + b, c * 256 + d]
}

function ipv6(text: string): readonly number[] | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [head, tail] = halves.map(half => (half === '' ? [] : wordsOf(half)))
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined
  if (halves.length === 1) return head.length === IPV6_WORDS ? head : undefined
  const left = IPV6_WORDS - head.length - tail!.length
  return left < 1 ? undefined : [...head, ...new Array<number>(left).fill(0), ...tail!]
}

/** Words with colons between; the last may be an IPv4 address. */
function wordsOf(text: string): number[] | undefined {
  const parts = text.split(':')
  const words: number[] = []
  for (const [place, part] of parts.entries()) {
    const inner = part.includes('.') && place === parts.length - 1 ? ipv4(part) : undefined
    if (inner !== undefined) words.push(...inner)
    else if (/^[0-9a-fA-F]{1,4}$/.test(part)) words.push(Number.parseInt(part, 16))
    else return undefined
  }
  return words
}

/** A block from `10.0.0.0/8`; an address alone is a block of one. Undefined where it is none. */
export function networkOf(text: string): Network | undefined {
  const slash = text.indexOf('/')
  const words = addressOf(slash < 0 ? text : text.slice(0, slash))
  if (words === undefined) return undefined
  const most = words.length === IPV6_WORDS ? IPV6_BITS : IPV4_BITS
  const length = slash < 0 ? String(most) : text.slice(slash + 1)
  if (!/^\d{1,3}$/.test(length) || Number(length) > most) return undefined
  return { words, bits: Number(length) }
}

/** Whether an address lies in a block. */
export function isWithin({ words, bits }: Network, text: string): boolean {
  const address = addressOf(text)
  if (address === undefined || address.length !== words.length) return false
  return address.every((word, place) => {
    const counted = Math.min(16, Math.max(0, bits - place * 16))
    return word >> (16 - counted) === words[place]! >> (16 - counted)
  })
}

/** One way to write a block: bits that do not count are zero, words in hex. */
export function networkText({ words, bits }: Network): string {
  const masked = words.map((word, place) => {
    const dropped = 16 - Math.min(16, Math.max(0, bits - place * 16))
    return (word >> dropped) << dropped
  })
  if (words.length === IPV6_WORDS) return `${masked.map(word => word.toString(16)).join(':')}/${bits}`
  return `${masked.flatMap(word => [word >> 8, word & 255]).join('.')}/${bits}`
}
