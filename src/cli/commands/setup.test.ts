// The commands that make and examine a group: init, client, renew, doctor. What they print, where, and the exit code.

import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runCommand } from '../../../test/support/command.ts'
import { fail, several, wantsColour } from '../output.ts'
import { clientCommand } from './client.ts'
import { doctorCommand } from './doctor.ts'
import { initCommand } from './init.ts'
import { renewCommand } from './renew.ts'

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'coterie-cli-'))
})

afterEach(async () => {
  vi.restoreAllMocks()
  process.exitCode = undefined
  await rm(root, { recursive: true, force: true })
})

/** What a shell would see. */
const run = (...line: string[]) => runCommand([initCommand(), doctorCommand(), clientCommand(), renewCommand()], line)

const shop = () => join(root, 'shop')

describe('every command', () => {
  it.each([['init'], ['doctor'], ['client'], ['client', 'add'], ['renew']])(
    '%s %s explains itself',
    async (...words) => {
      const { out, code } = await run(...words.filter(Boolean), '--help')
      expect(out).toMatch(/Usage: coterie /)
      expect(out).toMatch(/\nExample:\n {2}\$ coterie /)
      // An option without an explanation would be the last word of its line.
      for (const line of out.split('\n').filter(text => /^ {2}-/.test(text))) expect(line).toMatch(/^ {2}\S.* {2,}\S/)
      expect(code).toBe(0)
    },
  )

  it.each([
    ['no folder', ['init'], /missing required argument/],
    ['an unknown option', ['init', 'x', '--liers', '1'], /unknown option '--liers'[\s\S]*--liars/],
    ['a number that is none', ['init', 'x', '--servers', '-3'], /must be a whole number/],
    ['half a number', ['init', 'x', '--base-port', '1.5'], /must be a whole number/],
    ['too many words', ['doctor', 'a', 'b'], /too many arguments/],
    ['an unknown verb', ['client', 'remove'], /unknown command/],
    ['a verb with a slip', ['client', 'ad'], /unknown command 'ad'[\s\S]*Did you mean add\?/],
    [
      'ballots that are none',
      ['init', 'x', '--ballots', 'secrt'],
      /'--ballots <kind>' .*sealed or secret. Did you mean secret\?/,
    ],
  ])('ends with 2 for %s', async (_, line, sentence) => {
    const { err, out, code } = await run(...line)
    expect(err).toMatch(sentence)
    expect(out).toBe('')
    expect(code).toBe(2)
  })
})

describe('coterie init', () => {
  it('makes a group and says what comes next', async () => {
    const { out, err, code } = await run('init', shop(), '--liars', '1')
    expect(out).toContain('made group shop')
    expect(out).toContain('7 servers: locks need 5 grants')
    expect(out).toContain(`coterie serve ${shop()}/servers/server-1`)
    expect({ err, code }).toEqual({ err: '', code: 0 })
  })

  it('reports in JSON', async () => {
    const line = ['init', shop(), '--hosts', 'a,b', '--hosts', 'c', '--client', 'bob', '--client', 'eve', '--json']
    const made = JSON.parse((await run(...line)).out)
    expect(made.group.servers.map((server: { host: string }) => server.host)).toEqual(['a', 'b', 'c'])
    expect(made.clientFolders).toEqual([join(shop(), 'clients', 'bob'), join(shop(), 'clients', 'eve')])
    expect(JSON.stringify(made)).not.toContain('PRIVATE KEY')
    expect(made.group.operators).toEqual(['bob'])
  })

  it('makes the first client that is named operator, and says who is', async () => {
    const { out } = await run('init', shop(), '--client', 'bob', '--client', 'admin')
    expect(out).toContain('operators: bob, admin')
    for (const file of ['group.toml', 'servers/server-1/coterie.toml'])
      expect(await readFile(join(shop(), file), 'utf8')).toMatch(/operators = \["bob", "admin"\]/)
  })

  it('ends with 2 for settings that cannot work, with one sentence and no stack', async () => {
    const { out, err, code } = await run('init', shop(), '--servers', '3', '--liars', '1')
    expect(err).toMatch(/^error: 3 servers cannot keep a lock .*\n$/)
    expect({ out, code }).toEqual({ out: '', code: 2 })
    await expect(access(shop())).rejects.toThrow()
  })

  it('ends with 1 for a folder in use', async () => {
    await run('init', shop())
    const { err, code } = await run('init', shop())
    expect(err).toMatch(/^error: .*shop is in use.*\n$/)
    expect(code).toBe(1)
  })
})

describe('coterie client add, coterie renew', () => {
  it('work on a group, and say what they made', async () => {
    await run('init', shop())
    expect((await run('client', 'add', 'bob', '--group', shop())).out).toContain(join(shop(), 'clients', 'bob'))
    const again = await run('client', 'add', 'bob', '--group', shop())
    expect(again).toMatchObject({ out: '', code: 1 })
    expect((await run('client', 'add', 'Bob', '--group', shop())).code).toBe(2)
    const { renewed } = JSON.parse((await run('renew', shop(), 'bob', '--json')).out)
    expect(renewed).toEqual([join(shop(), 'clients', 'bob', 'client.crt')])
    expect((await run('renew', shop(), 'carl')).code).toBe(2)
  })
})

describe('coterie doctor', () => {
  it('ends with 0 where all is well, with 1 where there is a problem', async () => {
    await run('init', shop())
    const well = await run('doctor', shop(), '--no-probe')
    expect(well.out).toMatch(/no problems, no warnings, \d+ fine\n$/)
    expect(well.code).toBe(0)
    await writeFile(join(shop(), 'servers', 'server-2', 'server.key'), 'lost')
    const ill = await run('doctor', shop(), '--no-probe', '--quiet')
    expect(ill.out).toMatch(
      /^server-2\n {2}problem {2}.*server\.key holds no readable private key.*\n.*\n\n1 problem, /,
    )
    expect(ill.code).toBe(1)
  })

  it('warns where nobody is operator', async () => {
    await run('init', shop())
    await rm(join(shop(), 'clients', 'admin'), { recursive: true })
    const { out, code } = await run('doctor', shop(), '--no-probe', '--quiet')
    expect(out).toMatch(/^group\n {2}warning {2}nobody may unlock, repair, admit or expel: operators are admin, and/)
    expect(code).toBe(0)
  })

  it('reports in JSON', async () => {
    const { out, code } = await run('doctor', shop(), '--json')
    const report = JSON.parse(out)
    expect(report).toMatchObject({ problems: 1, warnings: 0, findings: [{ level: 'problem', where: 'shop' }] })
    expect(code).toBe(1)
  })
})

describe('output', () => {
  it('has colours on terminals only, and never with NO_COLOR', () => {
    expect(wantsColour({ isTTY: true }, {})).toBe(true)
    expect(wantsColour({ isTTY: true }, { NO_COLOR: '1' })).toBe(false)
    expect(wantsColour({ isTTY: true }, { TERM: 'dumb' })).toBe(false)
    expect(wantsColour({}, { CI: '1' })).toBe(false)
  })

  it('shows the stack of what is a bug', () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    fail(new TypeError('x is not a function'))
    expect(write.mock.calls.join()).toMatch(/this is a bug[\s\S]*TypeError: x is not a function[\s\S]*setup\.test/)
    expect(process.exitCode).toBe(1)
  })

  it('takes lists with commas, and repeated', () => {
    expect(several('c, d', several('a,b', undefined))).toEqual(['a', 'b', 'c', 'd'])
  })
})
