// Reads the fields of a TOML table one by one. Each refusal names the file, the field, the value found and what would
// work. Fields that nobody asked for are refused at the end, with the nearest known name: a misspelt `liers = 1` that
// is silently ignored is a group that masks no liar while its owner believes it does.

import { isIP } from 'node:net'
import { parse, TomlError } from 'smol-toml'
import { changes, FileError, SettingsError } from '../../core/index.ts'
import { readText } from '../files.ts'

/** A group of a hundred servers takes about 10 KB; more than this is not a config file. */
const CONFIG_BYTES_MAX = 256 * 1024

/** Names are parts of file names, URIs and lock holders' titles: nothing that any of these would have to escape. */
export const NAME_RULE =
  'lower-case letters, digits and hyphens, at most 40, beginning with a letter and not ending with a hyphen'
const NAME = /^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/

export function isName(value: string): boolean {
  return NAME.test(value)
}

/** RFC 1123: labels of up to 63 characters, 253 in all. */
const HOST_LABEL = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/
const HOST_MAX = 253

export const HOST_RULE = 'an IP address or a host name, without port, brackets or scheme'

export function isHost(value: string): boolean {
  if (isIP(value) !== 0) return true
  // 300.1.2.3 would pass for a name; the last label of a real name is never a number.
  return (
    value.length <= HOST_MAX && value.split('.').every(label => HOST_LABEL.test(label)) && !/(^|\.)\d+$/.test(value)
  )
}

type Plain = Readonly<Record<string, unknown>>

/** A value in a refusal is cut at this length: it may be a whole pasted key. */
const SHOWN_MAX = 60

function show(value: unknown): string {
  const text = JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? String(value)
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`
}

export class Table {
  readonly file: string
  readonly #path: string
  readonly #values: Plain
  readonly #asked = new Set<string>()

  constructor(file: string, path: string, values: Plain) {
    this.file = file
    this.#path = path
    this.#values = values
  }

  /** Reads a TOML file, or throws a FileError with line and column. */
  static async read(file: string): Promise<Table> {
    const text = await readText(file, CONFIG_BYTES_MAX)
    try {
      return new Table(file, '', parse(text, { unsafeKeyBehaviour: 'throw', maxDepth: 8 }))
    } catch (error) {
      if (!(error instanceof TomlError)) throw error
      const why = error.message.split('\n')[0]!.replace('Invalid TOML document: ', '')
      throw new FileError(`${file} is not TOML, at line ${error.line}, column ${error.column}: ${why}.`)
    }
  }

  has(field: string): boolean {
    return Object.hasOwn(this.#values, field)
  }

  /** A refusal of one field's value. */
  refuse(field: string, wanted: string): SettingsError {
    const name = `${this.#path}${field}`
    if (!this.has(field)) {
      const misspelt = nearest(
        field,
        Object.keys(this.#values).filter(found => !this.#asked.has(found)),
      )
      const hint = misspelt === undefined ? '' : ` There is ${this.#path}${misspelt}: did you mean ${field}?`
      return new SettingsError(`${this.file}: ${name} is missing; it must be ${wanted}.${hint}`)
    }
    return new SettingsError(`${this.file}: ${name} is ${show(this.#values[field])}; it must be ${wanted}.`)
  }

  text(field: string, accepts: (value: string) => boolean, wanted: string): string {
    const value = this.#take(field)
    if (typeof value !== 'string' || !accepts(value)) throw this.refuse(field, wanted)
    return value
  }

  texts(field: string, max: number, accepts: (value: string) => boolean, wanted: string): string[] {
    const value = this.#take(field)
    const good = Array.isArray(value) && value.every(item => typeof item === 'string' && accepts(item))
    if (!good || value.length > max) throw this.refuse(field, `a list of at most ${max} ${wanted}`)
    return value
  }

  number(field: string, min: number, max: number, meaning = ''): number {
    const value = this.#take(field)
    if (typeof value !== 'number' || !(value >= min && value <= max)) {
      throw this.refuse(field, `a number from ${min} to ${max}${meaning}`)
    }
    return value
  }

  whole(field: string, min: number, max: number, meaning = ''): number {
    const value = this.#take(field)
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
      throw this.refuse(field, `a whole number from ${min} to ${max}${meaning}`)
    }
    return value
  }

  table(field: string): Table {
    const value = this.#take(field)
    if (!isPlain(value)) throw this.refuse(field, `a table, written [${this.#path}${field}]`)
    return new Table(this.file, `${this.#path}${field}.`, value)
  }

  tables(field: string, max: number): Table[] {
    const value = this.#take(field)
    if (!Array.isArray(value) || value.length === 0 || value.length > max || !value.every(isPlain)) {
      throw this.refuse(field, `a list of 1 to ${max} tables, each written [[${this.#path}${field}]]`)
    }
    return value.map((item, at) => new Table(this.file, `${this.#path}${field}[${at + 1}].`, item))
  }

  /** To be called when everything was asked for: refuses what is left over. */
  end(): void {
    for (const field of Object.keys(this.#values)) {
      if (this.#asked.has(field)) continue
      const near = nearest(field, [...this.#asked])
      const hint = near === undefined ? `Known here: ${[...this.#asked].join(', ')}.` : `Did you mean ${near}?`
      throw new SettingsError(`${this.file}: ${this.#path}${field} is not a setting. ${hint}`)
    }
  }

  #take(field: string): unknown {
    this.#asked.add(field)
    return this.has(field) ? this.#values[field] : undefined
  }
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** The known word that is within two slips of the finger, or a third of the word, of this one. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const slipsMax = Math.max(2, Math.floor(word.length / 3))
  return (
    known
      // A word of a thousand letters is not compared letter by letter.
      .filter(candidate => Math.abs(candidate.length - word.length) <= slipsMax)
      .map(candidate => ({ candidate, slips: changes(word.toLowerCase(), candidate.toLowerCase()) }))
      .filter(({ slips, candidate }) => slips <= slipsMax && slips < candidate.length)
      .sort((a, b) => a.slips - b.slips)[0]?.candidate
  )
}
