// Asking again and again until Ctrl-C: shown only when something changed.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Asker, MemberAnswer } from '../client/peers/asking.ts'
import { Unavailable } from '../core/index.ts'
import type { Question } from '../node/questions/wire.ts'
import { warn } from './output.ts'

const EVERY_MS = 500
const PATIENCE_MS = 2_000

export async function untilStopped<T>(
  asker: Asker,
  question: Question,
  choose: (found: readonly MemberAnswer[]) => T,
  show: (found: T) => void,
): Promise<void> {
  const stopped = new AbortController()
  const stop = () => stopped.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  let shown = ''
  while (!stopped.signal.aborted) {
    const found = await asker.ask(question, PATIENCE_MS).catch(error => {
      if (error instanceof Unavailable) return undefined
      throw error
    })
    const chosen = found === undefined ? undefined : choose(found)
    const text = JSON.stringify(chosen)
    if (chosen !== undefined && text !== shown) show(chosen)
    if (found === undefined && shown !== NOBODY) warn('no member answers')
    shown = found === undefined ? NOBODY : text
    await sleep(EVERY_MS, undefined, { signal: stopped.signal }).catch(() => {})
  }
}

const NOBODY = 'nobody'
