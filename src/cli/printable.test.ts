// What others chose is printed so that no terminal obeys it.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { describeMembers } from './commands/members.ts'
import { describeStatus } from './commands/status.ts'
import { fail, print, printLine } from './output.ts'
import { allPrintable, forTerminal, jsonOf, printable } from './printable.ts'
import { describe as describeSlots } from './slots/status.ts'

const CLEAR = '\u001b[2J'
/** Clears the screen, rings, goes back, begins a line, turns letters around, hides, and is half a letter. */
const EVIL = `${CLEAR}\u0007\r\n\u009b31m\u202egnp.exe\u200b\u2028\ud83d end`
const OBEYED = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

describe('printable', () => {
  it('leaves what people write', () => {
    expect(printable('Zoë’s lock 锁 🔒 \\ "x"')).toBe('Zoë’s lock 锁 🔒 \\ "x"')
  })
  it('writes out what a terminal would obey', () => {
    expect(printable(EVIL)).not.toMatch(OBEYED)
    expect(printable(CLEAR)).toBe('\\u{1b}[2J')
    expect(printable('\ud83d')).toBe('\\u{d83d}')
  })
  it('goes through a whole value, names of fields too', () => {
    const bytes = Uint8Array.of(27)
    const shown = allPrintable({ a: [EVIL], [EVIL]: { n: 1, big: 5n, no: undefined, bytes } })
    expect(Object.keys(shown).join() + shown.a.join()).not.toMatch(OBEYED)
    expect((shown as Record<string, unknown>)[printable(EVIL)]).toEqual({ n: 1, big: 5n, no: undefined, bytes })
  })
  it('keeps our colours and lines in a whole text, and nothing else', () => {
    expect(forTerminal(`\u001b[31mred\u001b[0m\n${CLEAR}`)).toBe('\u001b[31mred\u001b[0m\n\\u{1b}[2J')
  })
  it('JSON reads back exactly', () => {
    const json = jsonOf({ [EVIL]: EVIL, tag: '\u{e0041}' }, 2)
    expect(json.replaceAll('\n', '')).not.toMatch(OBEYED)
    expect(JSON.parse(json)).toEqual({ [EVIL]: EVIL, tag: '\u{e0041}' })
  })
})

/** The lines of a text, each of which must be obeyed by no terminal. */
function expectPlain(text: string): void {
  for (const line of text.split('\n')) expect(line).not.toMatch(OBEYED)
}

describe('what commands make of names that others chose', () => {
  it('status, members, slots', () => {
    const server = { server: EVIL, state: 'unreachable', why: EVIL }
    const accusation = { server: EVIL, what: EVIL, object: EVIL, version: 1, clients: [EVIL] }
    const status = {
      servers: [server],
      locksWork: false,
      explanation: EVIL,
      accusations: [accusation],
      spoiled: [{ object: EVIL, why: EVIL }],
      objects: [],
      trust: { liars: 1 },
    }
    expectPlain(describeStatus(allPrintable(status) as never))
    const member = { name: EVIL, status: 'alive', address: EVIL, voter: true, attributes: { [EVIL]: 1 } }
    expectPlain(describeMembers(allPrintable([member]) as never))
    const slots = { name: EVIL, phase: 'open', epoch: 1, members: [EVIL], rounds: [] }
    expectPlain(describeSlots(allPrintable({ member: EVIL, slots }) as never))
  })
  it('print, printLine and fail let nothing through that was forgotten', () => {
    const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    print(false, {}, () => EVIL)
    printLine(false, {}, () => EVIL)
    fail(new Error(EVIL))
    const said = [...out.mock.calls, ...err.mock.calls].join('\n')
    vi.restoreAllMocks()
    process.exitCode = undefined
    expectPlain(said)
  })
  it('no more open files is a sentence, and no bug', () => {
    const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    fail(Object.assign(new Error('x'), { code: 'EMFILE' }))
    const said = err.mock.calls.join()
    vi.restoreAllMocks()
    process.exitCode = undefined
    expect(said).toMatch(/no more open files.*ulimit -n/)
    expect(said).not.toMatch(/bug/)
  })
})

/** Bytes as they are for programs, lines of JSON, progress and screens that pass through forTerminal themselves. */
const WRITE_THEMSELVES = [
  'output.ts',
  'write-reference.ts',
  'under/watchdog-process.ts',
  'commands/tree/get.ts',
  'commands/tree/dump.ts',
  'commands/filter.ts',
  'commands/subscribe.ts',
  'completion/command.ts',
  'commands/up.ts',
  'commands/sim.ts',
  'commands/explore.ts',
  'commands/dedup.ts',
  'dedup/stream.ts',
]

it('no other file of the command line writes by itself', () => {
  const folder = import.meta.dirname
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const wrong = files
    .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts') && !WRITE_THEMSELVES.includes(file))
    .filter(file => /process\.std(out|err)\.write|console\./.test(readFileSync(join(folder, file), 'utf8')))
  expect(wrong).toEqual([])
})
