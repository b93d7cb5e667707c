// Words that any machine could be told: what was really said, with some of its parts changed to others of the same vocabulary.
//
// A codec has no list of its fields, but it reads them one after the other. So a word is read once as it is, each number, text
// and piece of bytes noted; then again from these notes, some of them changed. Where the codec refuses what was put in, the last
// note is changed to what it says it would take, above all to the largest of that, and it is read anew. What comes of it is a
// word that the wire carries: with the edges of every field, and with parts of what others said.

import { type Codec, encode, type Random, Reader } from '../../src/core/index.ts'

type Note = number | string | Uint8Array

const KEPT_MAX = 300
/** A draw that finds no room is put together anew this often. */
const TRIES = 80
const NOTES_MAX = 3_000
/** Longer texts and bytes than this are drawn seldom: they cost much and tell little. */
const LONG = 4_096

class Refused extends Error {}

/** What was said of late, for whoever wants to say it again in another place. */
export class Heard {
  private readonly notes: Note[] = []
  private at = 0

  add(note: Note): void {
    this.notes[this.at++ % KEPT_MAX] = note
  }

  pick<T extends Note>(random: Random, is: (note: Note) => note is T): T | undefined {
    for (let i = 0; i < 8 && this.notes.length > 0; i++) {
      const note = this.notes[random.below(this.notes.length)]!
      if (is(note)) return note
    }
    return undefined
  }
}

/** Reads what is there, and notes it. */
class Noting extends Reader {
  readonly notes: Note[] = []
  private inside = false

  override byte(): number {
    const value = super.byte()
    if (!this.inside) this.notes.push(value)
    return value
  }

  override uint(): number {
    return this.noted(() => super.uint())
  }

  override raw(length: number): Uint8Array {
    return this.noted(() => super.raw(length))
  }

  override view(length: number): Uint8Array {
    return this.inside ? super.view(length) : this.noted(() => super.view(length))
  }

  override shortAscii(length: number): string | undefined {
    const value = super.shortAscii(length)
    if (value !== undefined) this.notes.push(value)
    return value
  }

  private noted<T extends Note>(read: () => T): T {
    this.inside = true
    const value = read()
    this.inside = false
    this.notes.push(value)
    return value
  }
}

/** Reads from notes instead of bytes; where they do not fit, and where it was told to, it draws. */
class Drawing extends Reader {
  /** Of each place that was read, what was given there. */
  readonly given: Note[] = []
  private readonly notes: readonly (Note | undefined)[]
  private readonly random: Random
  private readonly heard: Heard

  constructor(notes: readonly (Note | undefined)[], random: Random, heard: Heard) {
    super(new Uint8Array(0))
    this.notes = notes
    this.random = random
    this.heard = heard
  }

  override refuse(why: string): never {
    throw new Refused(why)
  }

  override byte(): number {
    return this.give(isNumber, () => this.random.below(this.random.chance(0.8) ? 4 : 256))
  }

  override uint(): number {
    return this.give(isNumber, () => drawnNumber(this.random, this.heard))
  }

  override raw(length: number): Uint8Array {
    const fits = (note: Note): note is Uint8Array => note instanceof Uint8Array && note.length === length
    return this.give(fits, () => this.heard.pick(this.random, fits) ?? this.drawnBytes(length)).slice()
  }

  override view(length: number): Uint8Array {
    return this.raw(length)
  }

  override shortAscii(length: number): string {
    const fits = (note: Note): note is string => typeof note === 'string' && Buffer.byteLength(note) === length
    return this.give(fits, () => this.heard.pick(this.random, fits) ?? this.drawnText(length))
  }

  private give<T extends Note>(fits: (note: Note) => note is T, draw: () => T): T {
    const note = this.notes[this.given.length]
    const value = note !== undefined && fits(note) ? note : draw()
    if (this.given.push(value) > NOTES_MAX) throw new Refused('too much')
    return value
  }

  private drawnBytes(length: number): Uint8Array {
    if (length > 2 ** 25) throw new Refused('too much')
    return length > LONG || this.random.chance(0.3) ? new Uint8Array(length).fill(255) : this.random.bytes(length)
  }

  /** Control characters, letters of three bytes, and what a sentence or a path may choke on. */
  private drawnText(length: number): string {
    if (length > 2 ** 25) throw new Refused('too much')
    const letter = ['a', '\u0001', '"', '/', '€', '0'][this.random.below(6)]!
    const size = Buffer.byteLength(letter)
    return letter.repeat(Math.floor(length / size)) + 'x'.repeat(length % size)
  }
}

const isNumber = (note: Note): note is number => typeof note === 'number'

function drawnNumber(random: Random, heard: Heard): number {
  switch (random.below(6)) {
    case 0:
      return Number.MAX_SAFE_INTEGER
    case 1:
    case 2:
      return random.below(4)
    case 3:
      return Math.max(0, (heard.pick(random, isNumber) ?? 0) + random.below(3) - 1)
    default:
      return heard.pick(random, isNumber) ?? random.below(2 ** 32)
  }
}

/** What a codec takes instead of what it has refused. */
function mended(why: string, random: Random): Note | undefined {
  const [, most] = /(?:over|more than) (\d+)/.exec(why) ?? []
  if (most === undefined) return undefined
  const max = Number(most)
  const isLength = why.includes('more than')
  // Of a number the edge itself; of a list or of bytes it is large, and seldom wanted.
  if (isLength && random.chance(max > LONG ? 0.97 : 0.7)) return random.below(Math.min(max, 8) + 1)
  return random.chance(0.7) ? max : Math.max(0, max - random.below(3))
}

/** A word that is this one with some of its parts changed, or nothing where none was found. */
export function stirred<T>(codec: Codec<T>, word: T, random: Random, heard = new Heard()): T | undefined {
  const noting = new Noting(encode(codec, word))
  codec.read(noting)
  const notes: (Note | undefined)[] = noting.notes
  const changes = 1 + random.below(3)
  for (let i = 0; i < changes; i++) notes[random.below(notes.length)] = undefined
  for (let tried = 0; tried < TRIES; tried++) {
    const drawing = new Drawing(notes, random, heard)
    try {
      return codec.read(drawing)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (drawing.given.length > NOTES_MAX) return undefined
      // What was drawn before stays as it was; the last is what was refused.
      for (const [at, value] of drawing.given.entries()) notes[at] = value
      notes[drawing.given.length - 1] = mended(error.message, random)
    }
  }
  return undefined
}

/** Everything in a word, for those who say parts of it again. */
export function hear<T>(codec: Codec<T>, word: T, heard: Heard): void {
  const noting = new Noting(encode(codec, word))
  codec.read(noting)
  for (const note of noting.notes) heard.add(note)
}
