// Durations as people write them: 30s, 500ms, 2m, 1h. A bare number is refused: one who writes 10 may mean seconds.

import { InvalidArgumentError } from 'commander'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** What was typed, by what it came to: refusals of the library speak of milliseconds, and nobody typed those. */
const typed = new Map<number, string>()

export function duration(text: string): number {
  const [, amount, unit] = /^(\d{1,12}(?:\.\d{1,3})?)(ms|s|m|h)?$/.exec(text) ?? []
  if (amount === undefined) throw new InvalidArgumentError('It must be a duration: 500ms, 30s, 2m, 1h.')
  if (unit === undefined) {
    throw new InvalidArgumentError(
      `It must be a duration with its unit: ${amount}ms, ${amount}s, ${amount}m or ${amount}h.`,
    )
  }
  const millis = Math.round(Number(amount) * UNITS[unit]!)
  typed.set(millis, text)
  return millis
}

/** A refusal of a value that was typed, with the words that were typed: "ttl is 2h (7200000 ms); …". */
export function asTyped(message: string): string {
  return message.replace(/ is (\d+);/, (found, millis) => {
    const text = typed.get(Number(millis))
    return text === undefined ? found : ` is ${text} (${millis} ms);`
  })
}

export function inWords(millis: number): string {
  if (millis < 1_000) return `${Math.round(millis)} ms`
  if (millis < 60_000) return `${(millis / 1_000).toFixed(1)} s`
  if (millis < 3_600_000) return `${Math.floor(millis / 60_000)} m ${Math.floor((millis % 60_000) / 1_000)} s`
  return `${Math.floor(millis / 3_600_000)} h ${Math.floor((millis % 3_600_000) / 60_000)} m`
}
