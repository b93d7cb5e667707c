// The journals that clients and members write in a siege, and the judgement of them.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readHistory, type Value } from '../../src/simulator/index.ts'
import { checkJournal, readJournal } from '../e2e/journal.ts'
import { checkSeats, readSeats } from '../e2e/seat-journal.ts'
import { checkTerms, readTerms } from '../e2e/terms.ts'
import { problemsOf, type SharedCall } from '../support/history.ts'

/** The files of that beginning. */
export async function texts(dir: string, prefix: string): Promise<string[]> {
  const files = (await readdir(dir)).filter(name => name.startsWith(prefix))
  return Promise.all(files.map(name => readFile(join(dir, name), 'utf8')))
}

/** Never two inside at one time, and tokens that rise. */
export async function judgeLocks(dir: string): Promise<string[]> {
  const { problems } = checkJournal(readJournal((await texts(dir, 'journal-')).join('')))
  return [...problems]
}

/** `sum` is what the counter says at last. */
export async function judgeObjects(dir: string, sum: number): Promise<string[]> {
  const { operations, problems } = readHistory<SharedCall, Value | boolean>(await texts(dir, 'history-'))
  return [...problems, ...problemsOf(operations, sum)]
}

/** Never two that lead at one time, never two in one slot. */
export async function judgeMembers(dir: string): Promise<string[]> {
  const terms = checkTerms(readTerms((await texts(dir, 'terms-')).join('')))
  const seats = checkSeats(readSeats((await texts(dir, 'seats-')).join('')))
  return [...terms.problems, ...seats.problems]
}
