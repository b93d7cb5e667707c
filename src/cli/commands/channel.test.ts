// The keeper of a secret channel at the command line: what is made, and what is said where it cannot be sent.

import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runCommand } from '../../../test/support/command.ts'
import { channelCommand } from './channel.ts'
import { initCommand } from './init.ts'

let folder = ''
const run = (...words: string[]) => runCommand([initCommand(), channelCommand()], words)
const channel = (word: string, ...words: string[]) => run('channel', word, 'prices', ...words, '--group', folder)

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'coterie-')), 'shop')
  await run('init', folder, '--client', 'till', '--client', 'other', '--client', 'audit')
  await channel('new', '--writer', 'till', '--reader', 'audit', '--reader', 'other', '--search', 'symbol=equal')
})

afterEach(async () => {
  process.exitCode = undefined
  await rm(join(folder, '..'), { recursive: true })
})

it('what is no address of a broker is refused before an epoch is made', async () => {
  const { err, code } = await channel('rotate', '--nats', 'http://127.0.0.1')
  expect([code, err]).toEqual([2, expect.stringContaining('nats takes the address of a broker')])
  expect((await channel('rotate')).out).toContain('made epoch 2 of channel prices')
})

it('a broker that is not there: it says that the epoch is made, and who has it', async () => {
  const { err, code } = await channel('remove', 'other', '--nats', 'nats://127.0.0.1:1')
  expect(code).toBe(1)
  expect(err).toContain('nats://127.0.0.1:1 cannot be reached')
  expect(err).toContain('Epoch 2 is made and in the folders of all parties here, and was sent to nobody')
  expect(err).toContain('channels/prices.json')
})

describe('who one is for a broker', () => {
  const login = (text: string) => {
    const file = join(folder, '..', 'login')
    writeFileSync(file, text)
    return file
  }

  it('stands in a file or in the environment, and in no output', async () => {
    const asked = ['--nats', 'nats://127.0.0.1:1', '--login']
    const { err } = await channel('rotate', ...asked, login('till:s3cret\n'))
    expect(err).toContain('nats://127.0.0.1:1 cannot be reached')
    expect(err).not.toMatch(/warning|s3cret/)
    vi.stubEnv('COTERIE_BROKER_LOGIN', 'till:s3cret')
    expect((await channel('rotate', ...asked.slice(0, 2))).err).not.toMatch(/warning|s3cret/)
    vi.unstubAllEnvs()
    const wrong = await channel('rotate', ...asked, login('till\nother\n'))
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('has 2 lines: it must have one')])
    expect((await channel('rotate', ...asked, '/none')).err).toContain('there is no such file')
  })

  it('on the command line is read by everybody, which is said', async () => {
    const { err } = await channel('rotate', '--mqtt', 'mqtt://till:s3cret@127.0.0.1:1')
    expect(err).toContain('warning: everybody on this machine can read a password on the command line')
    expect(err).not.toContain('s3cret')
  })
})
