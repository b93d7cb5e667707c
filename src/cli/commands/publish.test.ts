// What coterie publish and coterie subscribe refuse before they ask anybody.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/support/command.ts'
import { channelCommand } from './channel.ts'
import { publishCommand } from './publish.ts'
import { subscribeCommand } from './subscribe.ts'

afterEach(() => {
  process.exitCode = undefined
})

const run = (...words: string[]) => runCommand([publishCommand(), subscribeCommand(), channelCommand()], words)

describe('wrong usage of publish and subscribe', () => {
  it.each([
    [['publish', 'x'.repeat(513)], 'the topic has 513 bytes and 1 levels: of more than 512 bytes or 32 levels'],
    [['publish', 'a/'.repeat(32)], 'the topic has 64 bytes and 33 levels'],
    [['publish', 'x', '--channel', ''], 'It must be 1 to 200 bytes without control characters.'],
    [['publish', 'x', '--channel', 'a\nb'], 'It must be 1 to 200 bytes without control characters.'],
    [['subscribe', '#', '--channel', ''], 'It must be 1 to 200 bytes without control characters.'],
    [['subscribe', '#', '--name', ''], 'It must be 1 to 200 bytes without control characters.'],
    [['subscribe', '#', '--count', '0'], 'It must be 1 or more.'],
  ])('%j', async (words, sentence) => {
    const { err, code } = await run(...words)
    expect(err).toContain(sentence)
    expect(code).toBe(2)
  })

  it('a filter in a file is read, as by coterie filter test', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'coterie-'))
    try {
      await writeFile(join(folder, 'wrong.json'), '{"price": {"less": 10}}\n')
      const wrong = await run('subscribe', `@${join(folder, 'wrong.json')}`)
      expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('price.less is no operator')])
      const gone = await run('subscribe', `@${join(folder, 'none.json')}`)
      expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('there is no such file')])
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

it.each([['publish'], ['channel', 'rotate']])('help of %s shows a default as one writes it', async (...words) => {
  expect((await run(...words, '--help')).out).toMatch(/\(default:\s+10s\)/)
})
