// The pages of docs/reference that are written by hand say what the code says: fields, variables, numbers, sentences.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const folder = join('docs', 'reference')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The cells of every table row below a heading (all headings without one), without the rows of titles and lines. */
function rowsOf(page: string, heading?: string): string[][] {
  const sections = read(join(folder, page)).split(/^## /m).slice(1)
  const wanted = sections.filter(section => heading === undefined || section.startsWith(`${heading}\n`))
  return wanted.flatMap(section => {
    const rows = section.split('\n').filter(line => line.startsWith('| '))
    return rows.slice(2).flatMap(row => {
      const cells = row.split('|').slice(1, -1)
      return /^ -+:? $/.test(cells[0]!) || isTitle(row, section) ? [] : [cells.map(cell => cell.trim())]
    })
  })
}

/** A page may have several tables below one heading: the row before a line of hyphens is a title. */
function isTitle(row: string, section: string): boolean {
  return section.includes(`${row}\n| -`)
}

const words = (rows: readonly (readonly string[])[]) => rows.map(([first]) => first!.replaceAll('`', ''))

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map(file => read(join('src', file)))

describe('settings', () => {
  const headings = [
    'Of this node',
    '`[ledger]`',
    '`[group]`',
    '`[lock]`',
    '`[objects]`',
    '`[events]`',
    '`[[servers]]`',
    '`[membership]`',
  ]
  const tables = [...headings, '`[[members]]`'].map(heading => words(rowsOf('configuration.md', heading)))
  // Every field is taken from a table by its name, and `end` refuses what nobody took.
  const taken = [
    ...read('src/runtime/config/config.ts').matchAll(/\.(?:text|texts|number|whole|table|tables)\('(\w+)'/g),
  ]
  const known = new Set(taken.map(match => match[1]!))

  it('has every field that is read, and no other', () => {
    const parts = ['ledger', 'group', 'lock', 'objects', 'events', 'servers', 'membership', 'members']
    expect(known.size).toBeGreaterThan(20)
    expect(new Set([...tables.flat(), ...parts, 'host', 'port'])).toEqual(known)
    for (const part of parts) expect(read(join(folder, 'configuration.md'))).toMatch(new RegExp(`\\[${part}\\]`))
  })
  it('has every variable of ours, and no other', () => {
    const used = new Set(sources.flatMap(text => text.match(/\bCOTERIE_[A-Z]+\b/g) ?? []))
    const listed = words(rowsOf('configuration.md', 'Environment')).filter(name => name.startsWith('COTERIE_'))
    expect(used.size).toBeGreaterThan(3)
    expect(new Set(listed)).toEqual(used)
  })
})

describe('limits', () => {
  const rows = rowsOf('limits.md')
  it('are there', () => expect(rows.length).toBeGreaterThan(30))
  it.each(rows)('%s: %s', (_what, exactly, inWords, constant) => {
    const [, name, file] = /^`(\w+)` in \[[\w.-]+\]\((\S+)\)$/.exec(constant!)!
    const text = read(normalize(join(folder, file!)))
    const [, value] = new RegExp(`\\b${name}(?:: \\w+)?(?: =|:) ([-\\d_ *+<()]+)[,\\n]`).exec(text) ?? []
    expect(value, `${name} in ${dirname(file!)}`).toBeDefined()
    expect(Number(exactly)).toBe(calculate(value!))
    const power = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 }
    const [, amount, unit] = /^(\d+) ([KMG]iB)$/.exec(inWords!) ?? []
    if (amount !== undefined) expect(Number(amount) * power[unit as keyof typeof power]).toBe(Number(exactly))
  })
})

/** Constants are numbers, products, powers and shifts of them. */
function calculate(text: string): number {
  const shift = text.split('<<').map(part =>
    part
      .split(/(?<!\*) \* (?!\*)/)
      .map(factor => factor.split('**').map(number => Number(number.replaceAll('_', ''))))
      .map(([base, power = 1]) => base! ** power)
      .reduce((product, factor) => product * factor, 1),
  )
  return shift.length === 1 ? shift[0]! : shift[0]! * 2 ** shift[1]!
}

it.each([
  ['200', 200],
  ['500_000', 500_000],
  ['4 * 2 ** 20', 4_194_304],
  ['60 * 60 * 1000', 3_600_000],
  ['1 << 30', 2 ** 30],
])('%s is %d', (text, value) => expect(calculate(text)).toBe(value))

describe('errors', () => {
  // A sentence may be laid over several lines of the source.
  const code = sources.map(text => text.replaceAll(/[`'] \+\n\s*[`']/g, '').replaceAll("\\'", "'"))
  const sentences = words(rowsOf('errors.md'))
  it('are there', () => expect(sentences.length).toBeGreaterThanOrEqual(20))
  it.each(sentences)('%s', sentence => {
    const parts = sentence
      .split(/…|(?<=:) /)
      .map(part => part.trim())
      .filter(part => part.length > 3)
    expect(parts.length).toBeGreaterThan(0)
    for (const part of parts)
      expect(
        code.some(text => text.includes(part)),
        part,
      ).toBe(true)
  })
})
