// The keeper of a secret channel at the command line: what is made, and what is said where it cannot be sent.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
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
