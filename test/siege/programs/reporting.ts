// What every client and member process under siege tells: each thing that it did, when it began and how long it took.

import { createInterface } from 'node:readline'
import type { Operation } from '../operations.ts'

const REPORT_MS = 200
/** All processes of a machine share this clock. */
export const millis = (): number => Number(process.hrtime.bigint() / 1000n) / 1000
export const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

const done: Operation[] = []

export function note(kind: string, began: number, ok: boolean): void {
  done.push([kind, Math.round(began * 1_000) / 1_000, Math.round((millis() - began) * 1_000) / 1_000, ok])
}

setInterval(() => {
  if (done.length > 0) say({ done: done.splice(0) })
}, REPORT_MS).unref()

/** The line "stop" on the input, or its end, says that it is over; others say something else. */
export function onStop(stop: () => void, other: (line: string) => void = () => {}): void {
  createInterface({ input: process.stdin })
    .on('line', line => (line === 'stop' ? stop() : other(line)))
    .once('close', stop)
}
