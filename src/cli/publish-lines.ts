// coterie publish --lines: an event for each line, many under way at once, and their ids in the order of the lines.

import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { CoterieError } from '../core/index.ts'
import { eventFrom } from './commands/filter.ts'
import { linesOf } from './lines.ts'
import { cannotRead, printLine, warn } from './output.ts'

/** What a line is. */
export type LineKind = 'payload' | 'attributes'

/** Events under way: as many as keep the servers busy, and few enough to look at again where one was refused. */
const UNDER_WAY_MAX = 256

/** What is asked for each line. */
export interface Lines {
  readonly file: string | undefined
  readonly kind: LineKind
  readonly json: boolean | undefined
  payloadOf(line: string): unknown
  publish(attributes: object, payload: unknown): Promise<{ readonly id: string }>
}

/**
 * Publishes each line. Where one is not accepted, those before it are, and their ids were printed. Whoever writes the lines may take its
 * time: meanwhile ids are printed, and what is not accepted ends it.
 */
export async function publishLines(lines: Lines): Promise<void> {
  const input = inputOf(lines.file)
  const underWay: Promise<void>[] = []
  let said: Promise<void> = Promise.resolve()
  let number = 0
  for await (const line of linesOf(read(input, lines.file))) {
    const place = ++number
    if (line.trim() === '') continue
    const receipt = begin(lines, line, place)
    // Heard when it is its turn.
    receipt.catch(() => {})
    said = said.then(() => say(lines, place, receipt))
    said.catch(error => input.destroy(error))
    underWay.push(said)
    if (underWay.length >= UNDER_WAY_MAX) await underWay.shift()
  }
  await said
}

async function say({ json }: Lines, line: number, receipt: Promise<{ readonly id: string }>): Promise<void> {
  const { id } = await receipt.catch(error => {
    if (error instanceof CoterieError) warn(`line ${line} was not accepted, and of those behind it some may be`)
    throw error
  })
  printLine(json, { line, id }, () => id)
}

async function begin({ kind, payloadOf, publish }: Lines, line: string, number: number) {
  return kind === 'payload' ? publish({}, payloadOf(line)) : publish(eventFrom(line, number), undefined)
}

function inputOf(file: string | undefined): Readable {
  return file === undefined || file === '-' ? process.stdin : createReadStream(file)
}

async function* read(input: Readable, file = '-'): AsyncGenerator<Uint8Array | string, void, undefined> {
  try {
    yield* input
  } catch (error) {
    // Else it was ended by what was not accepted.
    const isOfFile = file !== '-' && (error as NodeJS.ErrnoException).syscall !== undefined
    throw isOfFile ? cannotRead(file, error) : error
  }
}
