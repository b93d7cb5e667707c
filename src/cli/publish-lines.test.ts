// An event for each line: in the order of the lines, whatever is accepted first, and up to the first that is not.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FileError, Unavailable } from '../core/index.ts'
import { type Lines, publishLines } from './publish-lines.ts'

let folder: string
const out: string[] = []
const err: string[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coterie-lines-'))
  vi.spyOn(process.stdout, 'write').mockImplementation(text => out.push(String(text)) > 0)
  vi.spyOn(process.stderr, 'write').mockImplementation(text => err.push(String(text)) > 0)
})
afterEach(async () => {
  vi.restoreAllMocks()
  out.length = 0
  err.length = 0
  await rm(folder, { recursive: true })
})

async function linesOf(text: string, more: Partial<Lines>): Promise<Lines> {
  const file = join(folder, 'lines')
  await writeFile(file, text)
  const publish = () => Promise.reject(new Error('nobody publishes'))
  return { file, kind: 'payload', json: undefined, payloadOf: line => JSON.parse(line), publish, ...more }
}

describe('lines', () => {
  it('are payloads, and their ids come in their order; empty ones are none', async () => {
    const got: unknown[] = []
    const publish = async (attributes: object, payload: unknown) => {
      got.push([attributes, payload])
      // The first is accepted last.
      await new Promise(resolve => setTimeout(resolve, 20 - 5 * Number(payload)))
      return { id: `id${payload}` }
    }
    await publishLines(await linesOf('1\n\n2\n3', { publish }))
    expect([got, out]).toEqual([
      [
        [{}, 1],
        [{}, 2],
        [{}, 3],
      ],
      ['id1\n', 'id2\n', 'id3\n'],
    ])
  })

  it('are attributes, as coterie filter test reads them, and say which is none', async () => {
    const got: unknown[] = []
    const publish = async (attributes: object, payload: unknown) => {
      got.push([{ ...attributes }, payload])
      return { id: 'id' }
    }
    const text = '{"price": 9.5, "of": {"state": "new"}}\nno JSON\n'
    const lines = await linesOf(text, { kind: 'attributes', json: true, publish })
    await expect(publishLines(lines)).rejects.toThrow('line 2 is no JSON')
    expect([got, out]).toEqual([[[{ price: 9.5, 'of.state': 'new' }, undefined]], ['{"line":1,"id":"id"}\n']])
  })

  it('are under way together, but not all of them', async () => {
    let [underWay, most] = [0, 0]
    const publish = async () => {
      most = Math.max(most, ++underWay)
      await new Promise(resolve => setImmediate(resolve))
      underWay--
      return { id: 'id' }
    }
    await publishLines(await linesOf('0\n'.repeat(1_000), { publish }))
    expect([out.length, most]).toEqual([1_000, 256])
  })

  it('are said as they are accepted, and end where one is not, while more may come', async () => {
    const input = new PassThrough()
    const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!
    Object.defineProperty(process, 'stdin', { value: input, configurable: true })
    try {
      const publish = async (_: object, payload: unknown) => {
        if (payload === 2) throw new Unavailable('too few servers')
        return { id: `id${payload}` }
      }
      const lines = { ...(await linesOf('', { publish })), file: undefined }
      const all = publishLines(lines)
      input.write('1\n')
      await vi.waitFor(() => expect(out).toEqual(['id1\n']))
      input.write('2\n')
      await expect(all).rejects.toThrow('too few servers')
      expect(err).toEqual(['line 2 was not accepted, and of those behind it some may be\n'])
    } finally {
      Object.defineProperty(process, 'stdin', stdin)
    }
  })

  it('end at the first that is not accepted', async () => {
    const publish = async (_: object, payload: unknown) => {
      if (payload === 2) throw new Unavailable('too few servers')
      return { id: `id${payload}` }
    }
    await expect(publishLines(await linesOf('1\n2\n3\n', { publish }))).rejects.toThrow('too few servers')
    expect([out, err]).toEqual([['id1\n'], ['line 2 was not accepted, and of those behind it some may be\n']])
  })

  it('of a file that is not there are none', async () => {
    const lines = { ...(await linesOf('', {})), file: join(folder, 'none') }
    await expect(publishLines(lines)).rejects.toThrow(FileError)
  })
})
