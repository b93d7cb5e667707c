// Amounts of memory as people write them: 1MB, 100kB, 64KiB, 8Mbit, 5000bits. A bare number is refused.

import { InvalidArgumentError } from 'commander'

/** In bits. `Mb` is left out: it says megabit, and most who write it mean megabyte. */
const UNITS: Readonly<Record<string, number>> = {
  B: 8,
  k: 8e3,
  K: 8e3,
  kB: 8e3,
  KB: 8e3,
  M: 8e6,
  MB: 8e6,
  G: 8e9,
  GB: 8e9,
  KiB: 8 * 2 ** 10,
  MiB: 8 * 2 ** 20,
  GiB: 8 * 2 ** 30,
  bit: 1,
  bits: 1,
  kbit: 1e3,
  Mbit: 1e6,
  Gbit: 1e9,
}

/** How many bits that is. */
export function memorySize(text: string): number {
  const parts = /^(\d{1,15}(?:\.\d{1,6})?) ?([A-Za-z]*)$/.exec(text)
  if (parts?.[2] === '')
    throw new InvalidArgumentError(
      `It must have a unit: ${parts[1]}MB, ${parts[1]}kB, ${parts[1]}B or ${parts[1]}bits.`,
    )
  if (parts === null || !Object.hasOwn(UNITS, parts[2]!))
    throw new InvalidArgumentError('It must be an amount of memory: 1MB, 100kB, 64KiB, 8Mbit, 5000bits.')
  return Math.floor(Number(parts[1]) * UNITS[parts[2]!]!)
}

/** Bytes with three digits: 1.5 MB. */
export function bytesInWords(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const rounded = Number(bytes.toPrecision(3))
  const power = rounded < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(rounded) / 3))
  return `${Number((rounded / 1000 ** power).toPrecision(3))} ${units[power]}`
}
