// Looking again and again until Ctrl-C: shown only when something changed.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Looker } from '../client/peers/look.ts'
import type { Looked } from '../client/peers/window.ts'
import { Unavailable } from '../core/index.ts'

const EVERY_MS = 500
const PATIENCE_MS = 2_000

export async function untilStopped<T>(
  looker: Looker,
  what: string,
  choose: (found: readonly Looked[]) => T,
  show: (found: T) => void,
): Promise<void> {
  const stopped = new AbortController()
  const stop = () => stopped.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  let shown = ''
  while (!stopped.signal.aborted) {
    const found = await looker.look(what, PATIENCE_MS).catch(error => {
      if (error instanceof Unavailable) return undefined
      throw error
    })
    const chosen = found === undefined ? undefined : choose(found)
    const text = JSON.stringify(chosen)
    if (chosen !== undefined && text !== shown) show(chosen)
    if (found === undefined && shown !== NOBODY) process.stderr.write('no member answers\n')
    shown = found === undefined ? NOBODY : text
    await sleep(EVERY_MS, undefined, { signal: stopped.signal }).catch(() => {})
  }
}

const NOBODY = 'nobody'
