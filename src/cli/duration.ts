// Durations as people write them: 30s, 500ms, 1m30s, 2d. A bare number is refused: one who writes 10 may mean seconds.

import { InvalidArgumentError, Option } from 'commander'

/** From the longest to the shortest, which is the order in which they are written. */
const UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }
const PART = String.raw`(\d{1,12}(?:\.\d{1,3})?)`
const SHAPE = new RegExp(
  `^${Object.keys(UNITS)
    .map(unit => `(?:${PART}${unit})?`)
    .join('')}$`,
)
/** A hundred years: more was not meant, and far larger numbers are no longer exact. */
const DAYS_MAX = 36_500

/** What was typed, by what it came to: refusals of the library speak of milliseconds, and nobody typed those. */
const typed = new Map<number, string>()

/** How many milliseconds that is. */
export function duration(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) {
    throw new InvalidArgumentError(
      `It must be a duration with its unit: ${text}ms, ${text}s, ${text}m, ${text}h or ${text}d.`,
    )
  }
  const parts = text === '' ? null : SHAPE.exec(text)
  if (parts === null) throw new InvalidArgumentError('It must be a duration: 500ms, 30s, 1m30s, 2h, 2d.')
  const sum = Object.values(UNITS).reduce((total, unit, place) => total + Number(parts[place + 1] ?? 0) * unit, 0)
  if (sum > DAYS_MAX * UNITS.d) throw new InvalidArgumentError(`It must be a duration of at most ${DAYS_MAX}d.`)
  const millis = Math.round(sum)
  typed.set(millis, text)
  return millis
}

/** An option with a duration; help shows the default as one writes it. */
export function durationOption(flags: string, description: string, otherwise: string): Option {
  return new Option(flags, description).argParser(duration).default(duration(otherwise), otherwise)
}

/** A refusal of a value that was typed, with the words that were typed: "--ttl is 2h (7200000 ms); …". */
export function asTyped(message: string): string {
  return message.replace(/(^|[\s'"])([a-z][A-Za-z]*) is (\d+);/, (found, before, name: string, millis) => {
    const text = typed.get(Number(millis))
    return text === undefined ? found : `${before}${optionOf(name)} is ${text} (${millis} ms);`
  })
}

/** The option that the library calls by this name: ttlMax is --ttl-max. */
function optionOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
}

export function inWords(millis: number): string {
  if (millis < UNITS.s) return `${Math.round(millis)} ms`
  if (millis < UNITS.m) return `${(millis / UNITS.s).toFixed(1)} s`
  if (millis < UNITS.h) return `${Math.floor(millis / UNITS.m)} m ${Math.floor((millis % UNITS.m) / UNITS.s)} s`
  if (millis < UNITS.d) return `${Math.floor(millis / UNITS.h)} h ${Math.floor((millis % UNITS.h) / UNITS.m)} m`
  return `${Math.floor(millis / UNITS.d)} d ${Math.floor((millis % UNITS.d) / UNITS.h)} h`
}
