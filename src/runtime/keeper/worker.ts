// The keeper's thread: its own connections, its own driver, and the board.

import { parentPort, workerData } from 'node:worker_threads'
import { NOTHING_SAVED, type NodeId } from '../../core/index.ts'
import { commonVocabulary } from '../../node/common-words.ts'
import { keeperNode } from '../../node/keeper.ts'
import type { NodeSettings } from '../../node/settings.ts'
import type { Credentials } from '../certificates/identity.ts'
import { type ClockMemory, holderClock } from '../clock.ts'
import { Driver } from '../driver.ts'
import type { Address, Log } from '../transport/index.ts'
import { createTlsTransport } from '../transport/tls.ts'
import { openBoard } from './board.ts'
import { KeeperSide } from './keeper-side.ts'

export interface KeeperStart {
  readonly settings: NodeSettings
  /** What the servers must agree on with us. */
  readonly agreed: string
  readonly holder: NodeId
  readonly blockedMax: number
  readonly credentials: Credentials
  readonly authority: string
  readonly addresses: ReadonlyMap<NodeId, Address>
  readonly clock: ClockMemory
  readonly board: SharedArrayBuffer
}

/** To the main thread. */
export interface KeeperWord {
  readonly log: Parameters<Log>
}

const start = workerData as KeeperStart
const { holder, addresses, authority, credentials } = start
const log: Log = (...said) => parentPort!.postMessage({ log: said } satisfies KeeperWord)
const clock = holderClock(start.clock)
const side = new KeeperSide(openBoard(start.board), clock)
const driver = new Driver({
  protocol: keeperNode(start.settings, holder, start.blockedMax),
  self: `${holder} (keeper)`,
  peers: [...addresses.keys()],
  vocabulary: commonVocabulary,
  clock,
  log,
  saved: NOTHING_SAVED,
  event: ({ part, body }) => {
    if (part === 'lock') side.publish(body.id, body.deadline)
  },
  // The main thread sees that this one has ended, and renews by itself.
  failed: error => {
    throw error
  },
})

function look(): void {
  for (const body of side.look()) driver.command({ part: 'lock', body })
  setTimeout(look, side.lookAfter)
}

driver.start(
  await createTlsTransport({ credentials, authority, log, addresses, settings: start.agreed }, driver.events),
)
look()
