// Durations as people write them: 30s, 500ms, 2m, 1h; a bare number is milliseconds.

import { InvalidArgumentError } from 'commander'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

export function duration(text: string): number {
  const parts = /^(\d{1,12}(?:\.\d{1,3})?)(ms|s|m|h)?$/.exec(text)
  if (parts === null) throw new InvalidArgumentError('It must be a duration: 500ms, 30s, 2m, 1h.')
  return Math.round(Number(parts[1]) * UNITS[parts[2] ?? 'ms']!)
}

export function inWords(millis: number): string {
  if (millis < 1_000) return `${Math.round(millis)} ms`
  if (millis < 60_000) return `${(millis / 1_000).toFixed(1)} s`
  if (millis < 3_600_000) return `${Math.floor(millis / 60_000)} m ${Math.floor((millis % 60_000) / 1_000)} s`
  return `${Math.floor(millis / 3_600_000)} h ${Math.floor((millis % 3_600_000) / 60_000)} m`
}
