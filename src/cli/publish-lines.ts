// coterie publish --lines: an event for each line, many under way at once, and their ids in the order of the lines.

import { createReadStream } from 'node:fs'
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

/** Publishes each line. Where one is not accepted, those before it are, and their ids were printed. */
export async function publishLines(lines: Lines): Promise<void> {
  const underWay: { readonly number: number; readonly receipt: Promise<{ readonly id: string }> }[] = []
  const next = async () => {
    const { number, receipt } = underWay.shift()!
    const { id } = await receipt.catch(error => {
      if (error instanceof CoterieError) warn(`line ${number} was not accepted, and of those behind it some may be`)
      throw error
    })
    printLine(lines.json, { line: number, id }, () => id)
  }
  let number = 0
  for await (const line of linesOf(inputOf(lines.file))) {
    number++
    if (line.trim() === '') continue
    const receipt = begin(lines, line, number)
    // Heard when it is its turn.
    receipt.catch(() => {})
    underWay.push({ number, receipt })
    if (underWay.length >= UNDER_WAY_MAX) await next()
  }
  while (underWay.length > 0) await next()
}

async function begin({ kind, payloadOf, publish }: Lines, line: string, number: number) {
  return kind === 'payload' ? publish({}, payloadOf(line)) : publish(eventFrom(line, number), undefined)
}

async function* inputOf(file: string | undefined): AsyncGenerator<Uint8Array | string, void, undefined> {
  if (file === undefined || file === '-') return yield* process.stdin
  try {
    yield* createReadStream(file)
  } catch (error) {
    throw cannotRead(file, error)
  }
}
