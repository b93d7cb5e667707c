// What a member knows when it starts: from what was durable when it last ended.

import { type NodeId, type Saved, sameBytes } from '../../core/index.ts'
import { newEpoch } from './epoch.ts'
import { CHAIN_MAX } from './links.ts'
import { recordHash } from './record.ts'
import { readSaved, type SavedRecord } from './saved.ts'
import { type Epoch, type MemberState, NEVER, type SlotsMeans } from './state.ts'

const NO_EVIDENCE = new Uint8Array()

/** From what was durable: the chain of epochs, what we favoured and signed, and whether our key of the last is lost. */
export function restore(means: SlotsMeans, self: NodeId, saved: Saved): MemberState {
  const records = readSaved(saved.get('') ?? [])
  const adopted = records.filter(record => record.kind === 'adopted').map(({ link }) => link)
  const chain = adopted.slice(-CHAIN_MAX)
  const record = chain.at(-1)?.record ?? means.first
  const hash = recordHash(record)
  const joined = records.some(one => one.kind === 'joined' && sameBytes(one.epoch, hash))
  const epoch = newEpoch(self, record, joined && means.rules.staysOut(), NEVER, NEVER)
  restoreSuccession(epoch, records)
  const cheats = new Map(records.filter(one => one.kind === 'cheat').map(({ name }) => [name, NO_EVIDENCE]))
  return {
    self,
    chain,
    epoch,
    waiting: [],
    seat: undefined,
    cheats,
    petitions: new Map(),
    goers: new Map(),
    leaving: false,
    outbox: [],
    outboxTo: new Map(),
    answered: new Map(),
    beats: 0,
    workCount: 0,
    workUnderWay: new Map(),
  }
}

function restoreSuccession(epoch: Epoch, records: readonly SavedRecord[]): void {
  const { succession } = epoch
  for (const record of records) {
    if (record.kind === 'favoured' && sameBytes(record.epoch, epoch.hash)) {
      succession.favouredIn = record.ballot
      succession.ballot = record.ballot + 1
    } else if (record.kind === 'locked' && sameBytes(record.epoch, epoch.hash)) {
      const { record: successor, ballot, signatures } = record.link
      succession.lock = { record: successor, favoured: { ballot, signatures } }
      succession.valid = succession.lock
      epoch.closed = true
    }
  }
}
