// The journals that clients and members write in a siege, and the judgement of them.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type CounterCall,
  checkLinearizability,
  counter,
  type Operation,
  type RegisterCall,
  readHistory,
  registers,
  type Value,
} from '../../src/simulator/index.ts'
import { checkJournal, readJournal } from '../e2e/journal.ts'
import { checkSeats, readSeats } from '../e2e/seat-journal.ts'
import { checkTerms, readTerms } from '../e2e/terms.ts'

type Call = RegisterCall | (CounterCall & { readonly key: 'sum' })
export type History = Operation<Call, Value | boolean>

async function texts(dir: string, prefix: string): Promise<string[]> {
  const files = (await readdir(dir)).filter(name => name.startsWith(prefix))
  return Promise.all(files.map(name => readFile(join(dir, name), 'utf8')))
}

/** Never two inside at one time, and tokens that rise. */
export async function judgeLocks(dir: string): Promise<string[]> {
  const { problems, entries } = checkJournal(readJournal((await texts(dir, 'journal-')).join('')))
  return entries === 0 ? [...problems, 'nobody ever held a lock'] : [...problems]
}

/** Linearizable, nothing acknowledged lost, everything applied once; `sum` is what the counter says at last. */
export async function judgeObjects(dir: string, sum: number): Promise<string[]> {
  const { operations, problems } = readHistory<Call, Value | boolean>(await texts(dir, 'history-'))
  const found: string[] = [...problems]
  const additions = operations.filter(({ call }) => call.kind === 'add')
  const answered = additions.filter(({ outcome }) => outcome.kind === 'returned').length
  const unknown = additions.filter(({ outcome }) => outcome.kind === 'unknown').length
  if (sum < answered || sum > answered + unknown) {
    found.push(`the counter says ${sum}: ${answered} additions were answered, and of ${unknown} nobody knows`)
  }
  const counts = operations.filter(({ call }) => call.key === 'sum') as unknown as Operation<CounterCall, number>[]
  const values = operations.filter(({ call }) => call.key !== 'sum') as Operation<RegisterCall, Value | boolean>[]
  for (const verdict of [checkLinearizability(counter, counts), checkLinearizability(registers, values)]) {
    if (verdict.verdict === 'violation') found.push(`not linearizable: ${verdict.key}: ${verdict.explanation}`)
  }
  return found
}

/** Never two that lead at one time, never two in one slot. */
export async function judgeMembers(dir: string): Promise<string[]> {
  const terms = checkTerms(readTerms((await texts(dir, 'terms-')).join('')))
  const seats = checkSeats(readSeats((await texts(dir, 'seats-')).join('')))
  const idle = [
    ...(terms.reigns.length === 0 ? ['nobody ever led'] : []),
    ...(seats.seats === 0 ? ['nobody ever had a seat'] : []),
  ]
  return [...terms.problems, ...seats.problems, ...idle]
}
