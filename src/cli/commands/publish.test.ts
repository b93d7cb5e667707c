// What coterie publish and coterie subscribe refuse before they ask anybody.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/support/command.ts'
import type { ReceivedEvent } from '../../client/events/event.ts'
import { channelCommand } from './channel.ts'
import { attributesFrom, payloadIn, publishCommand } from './publish.ts'
import { plain, shown, subscribeCommand } from './subscribe.ts'

afterEach(() => {
  process.exitCode = undefined
})

const run = (...words: string[]) => runCommand([publishCommand(), subscribeCommand(), channelCommand()], words)

describe('wrong usage of publish and subscribe', () => {
  it.each([
    [['publish', 'x'.repeat(513)], 'the topic has 513 bytes and 1 levels: of more than 512 bytes or 32 levels'],
    [['publish', 'a/'.repeat(32)], 'the topic has 64 bytes and 33 levels'],
    [['publish'], 'an event needs a topic, or an attribute as name=value'],
    [['publish', '--lines', 'payload'], 'an event needs a topic, or an attribute as name=value'],
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

  it('is none to leave the attributes to lines that have them', async () => {
    const { err } = await run('publish', '--lines', 'attributes', '--config', '/nowhere')
    expect(err).toContain('/nowhere')
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

describe('what is published', () => {
  it('is what was typed: numbers as JSON writes them, and everything else as text', () => {
    const typed = ['a=9.50', 'b=-1e3', 'c=01234', 'd=1.', 'e="17"', 'f=true', 'g="true"', 'h="', 'i=NaN', 'j=0x10']
    expect(attributesFrom([...typed, 'k=9007199254740991', 'l="a\\nb"'])).toEqual({
      ...{ a: 9.5, b: -1000, c: '01234', d: '1.', e: '17', f: true, g: 'true', h: '"', i: 'NaN', j: '0x10' },
      ...{ k: 9007199254740991, l: 'a\nb' },
    })
  })

  it('may be lists of values; what is in brackets and none is text', () => {
    const typed = ['a=["x", 1, null]', 'b=[]', 'c=[draft]', 'd=[[1]]', 'e=[{"f": 1}]']
    const text = { c: '[draft]', d: '[[1]]', e: '[{"f": 1}]' }
    expect(attributesFrom(typed)).toEqual({ a: ['x', 1, null], b: [], ...text })
    expect(() => attributesFrom(['a=[9007199254740993]'])).toThrow('numbers keep 15 digits')
  })

  it('warns of wildcards, which are of filters', async () => {
    const { err } = await run('publish', 'eu/#', '--config', '/nowhere')
    expect(err).toContain('warning: the topic eu/# has wildcards, which are of filters')
    expect((await run('publish', 'issues/#12', '--config', '/nowhere')).err).not.toContain('wildcards')
  })

  it('is refused where a number would become another', async () => {
    const { err, code } = await run('publish', 'order=9007199254740993')
    expect(err).toContain(`numbers keep 15 digits; in double quotes it is text: order='"9007199254740993"'`)
    expect(code).toBe(2)
  })

  it('from standard input is JSON, else text, else the bytes as they are', () => {
    const of = (...bytes: number[]) => payloadIn(Uint8Array.from(bytes))
    expect(of(...Buffer.from('{"a": 1}'))).toEqual({ a: 1 })
    expect(of(...Buffer.from('h\u00e9'))).toBe('h\u00e9')
    expect(of(0, 0xff, 0x80)).toEqual(Uint8Array.of(0, 0xff, 0x80))
  })
})

describe('what is printed', () => {
  const event = (topic: string, payload: unknown): ReceivedEvent => ({
    ...{ id: 'c/a/1/1', channel: 'c', author: 'a', attributes: { topic, 'x\ny': 1 }, payload, time: new Date(0) },
    ...{ attempt: 1, redelivered: false, ack() {}, nack() {} },
  })

  it('is one line an event, whatever its author writes', () => {
    const line = shown(event('t\n2026-01-01  admin  forged\u001b[8m', 'p'))
    expect(line).toBe('1970-01-01T00:00:00.000Z  a  t\\u{a}2026-01-01  admin  forged\\u{1b}[8m  x\\u{a}y=1  "p"')
  })

  it('says of bytes that they are bytes', () => {
    expect(plain(event('t', Uint8Array.of(1)))).toMatchObject({ bytes: 'AQ==' })
    expect(plain(event('t', 'AQ=='))).toMatchObject({ payload: 'AQ==' })
  })
})

it.each([['publish'], ['channel', 'rotate']])('help of %s shows a default as one writes it', async (...words) => {
  expect((await run(...words, '--help')).out).toMatch(/\(default:\s+10s\)/)
})
