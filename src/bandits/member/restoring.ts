// What a member knows of its runs when it starts: those that it saved and that have not ended.

import { encode, type NodeId, type Saved } from '../../core/index.ts'
import { digest } from '../party.ts'
import { newPlaying } from './hosting.ts'
import {
  answerFrom,
  armKey,
  type BanditMemberSettings,
  type BanditMemberState,
  type Hosted,
  newLog,
  noteEnded,
  readSaved,
  runOf,
} from './state.ts'
import { type MemberRecord, type SavedAnswer, termsCodec } from './wire.ts'

export function restored(self: NodeId, saved: Saved, { keys }: BanditMemberSettings): BanditMemberState {
  const runs = new Map<string, Hosted>()
  const served = new Map<string, number>()
  const logs = new Map<string, MemberRecord & { kind: 'log' }>()
  const ended = new Set<string>()
  const answers = new Map<string, SavedAnswer>()
  for (const record of readSaved(saved)) {
    switch (record.kind) {
      case 'run': {
        const { terms, parties, roles } = record
        const nonce = digest(keys.tools, 'terms', encode(termsCodec, terms))
        const before = runs.get(terms.id)?.roles
        const own = new Map(roles.map(role => [role, before?.get(role) ?? newPlaying()]))
        const log = newLog(new Uint8Array(0))
        runs.set(terms.id, { terms, run: runOf(terms, parties, nonce), roles: own, log })
        break
      }
      case 'role': {
        const playing = runs.get(record.id)?.roles.get(record.role)
        if (playing !== undefined) playing.record = record.record
        break
      }
      case 'log':
        logs.set(record.id, record)
        break
      case 'answer':
        answers.set(record.id, record.answer)
        break
      case 'ended':
        runs.delete(record.id)
        noteEnded(ended, record.id)
        break
      case 'served':
        served.set(armKey(record.name, record.arm), record.count)
        break
      case 'whole':
        break
    }
  }
  for (const [id, { count, head, salt }] of logs) {
    const hosted = runs.get(id)
    if (hosted !== undefined) runs.set(id, { ...hosted, log: { ...newLog(salt), count, head } })
  }
  for (const [id, answer] of answers) {
    const hosted = runs.get(id)
    if (hosted !== undefined) hosted.log.answer = answerFrom(hosted.terms.name, answer)
  }
  return { ...blank(self), served, runs, ended }
}

function blank(self: NodeId): Omit<BanditMemberState, 'served' | 'runs' | 'ended'> {
  return {
    self,
    known: new Map(),
    serving: new Map(),
    invited: new Map(),
    closed: new Map(),
    asking: new Map(),
    logged: new Map(),
    saves: 0,
  }
}
