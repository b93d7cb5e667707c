// Too few servers are connected for events, and somebody waits: they may wait for ever, so it is said once.
//
// Locks and objects go on with fewer servers than events, which are accepted once n - f hold them. So a group that lost one
// server too many still connects and answers, and only what publishes and subscribes stands still.

import { startTimer } from '../waiting.ts'
import { Warning } from './handling.ts'

/** How often it is looked at. Said when it is so twice running: a server that is being restarted is no news. */
const LOOK_MS = 3_000

export class Shortage {
  private readonly lacking: () => string | undefined
  private readonly isWaiting: () => boolean
  private readonly warning = new Warning()
  private wasLacking = false
  private stop: (() => void) | undefined

  /** `lacking`: who is missing, in a sentence, where events need them. `isWaiting`: whether anybody waits for the servers. */
  constructor(lacking: () => string | undefined, isWaiting: () => boolean) {
    this.lacking = lacking
    this.isWaiting = isWaiting
  }

  /** Who is missing now; undefined where enough are there. */
  words(): string | undefined {
    return this.lacking()
  }

  /** Somebody begins to wait. */
  watch(): void {
    this.stop ??= startTimer(LOOK_MS, () => this.look())
  }

  /** Nothing is said any more. */
  end(): void {
    this.stop?.()
    this.stop = () => {}
  }

  private look(): void {
    this.stop = undefined
    if (!this.isWaiting()) {
      this.wasLacking = false
      return
    }
    const lacking = this.lacking()
    if (lacking !== undefined && this.wasLacking) this.warning.say(`Events wait: ${lacking}`)
    this.wasLacking = lacking !== undefined
    this.watch()
  }
}
