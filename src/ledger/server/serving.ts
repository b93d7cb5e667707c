// What clients ask: offers of voting keys, ledgers by name, balances, proofs. Every answer is at the newest certified size,
// and carries the certificate.

import type { NodeId } from '../../core/index.ts'
import { fromHex, toHex } from '../../core/index.ts'
import type { RegisterBook } from '../book.ts'
import { supplyOf } from '../book.ts'
import { newestEpoch } from '../genesis.ts'
import { encodeDescriptor } from '../light.ts'
import { consistencyProof } from '../merkle.ts'
import { type Answer, type LedgerRequest, type Question, shortened } from '../wire.ts'
import { catchUpWithAny } from './catching-up.ts'
import { giveReceipt, ownerOf } from './pool.ts'
import { openLedger } from './restart.ts'
import { type LedgerScene, type ServedLedger, type ServerScene, send } from './state.ts'
import { giveSteps } from './steps.ts'

/** Kinds of coins that an account is shown with. */
const SHOWN_MAX = 64

export function onOffer(scene: ServerScene, from: NodeId, { query }: LedgerRequest & { kind: 'offer' }): void {
  const { salt, held } = scene.state
  // By the key of an old copy it may have voted already.
  if (salt === undefined || held) return
  send(scene, from, { kind: 'offered', query, key: scene.settings.voter(salt).publicKey, salt })
}

export function onFind(scene: ServerScene, from: NodeId, { query, name }: LedgerRequest & { kind: 'find' }): void {
  const { state } = scene
  const ledger = state.ledgers.get(state.names.get(name) ?? '') ?? state.ledgers.get(name)
  send(scene, from, { kind: 'found', query, genesis: ledger && encodeDescriptor(ledger.descriptor) })
}

export function onCreate(
  scene: ServerScene,
  from: NodeId,
  { query, genesis }: LedgerRequest & { kind: 'create' },
): void {
  const opened = openLedger(scene, genesis, ownerOf(from), from)
  send(scene, from, { kind: 'created', query, why: typeof opened === 'string' ? shortened(opened) : '' })
}

export function onAsk(scene: LedgerScene, from: NodeId, body: LedgerRequest & { kind: 'ask' }): void {
  const { query, question, epoch } = body
  const { voted, head, place, keepers } = scene.ledger
  // Its answer would count among those of an epoch that is over: a finished transfer might be missing from it.
  if (epoch < keepers.number) return giveSteps(scene, from, epoch)
  // A client knows of later keepers: this server may be one of them, and where nothing has happened since nobody has told it.
  if (epoch > keepers.number) catchUpWithAny(scene)
  if (place < 0) return
  const answer = answerTo(scene.ledger, question)
  if (answer !== undefined) send(scene, from, { kind: 'answered', query, voted, checkpoint: head, answer })
}

function answerTo(ledger: ServedLedger, question: Question): Answer | undefined {
  const { book } = ledger
  const register = book.registers['register' in question ? question.register : 0]
  if (register === undefined) return undefined
  switch (question.kind) {
    case 'head':
      return { kind: 'head' }
    case 'account':
      return accountAnswer(register, question.key)
    case 'fate':
      return { kind: 'fate', fate: fateOf(ledger, register, question.ledger, question.index) }
    case 'link': {
      const link = book.links.get(toHex(question.ledger))
      const held = link?.descriptor.registerIds.reduce((sum, id) => sum + (register.foreign.get(id) ?? 0n), 0n) ?? 0n
      const { next = 0, cap = 0n, frozen = false } = link ?? {}
      return { kind: 'link', next, cap, held, frozen, epoch: link ? newestEpoch(link.descriptor).number : 0 }
    }
    case 'totals': {
      const { held, outstanding } = supplyOf(register)
      return { kind: 'totals', accounts: register.accounts.size, held, outstanding }
    }
  }
}

function accountAnswer(register: RegisterBook, key: Uint8Array): Answer {
  const account = register.accounts.get(toHex(key))
  const all = [...(account?.balances ?? [])].sort(([one], [other]) => (one < other ? -1 : 1))
  const balances = all.slice(0, SHOWN_MAX).map(([asset, amount]) => ({ asset: fromHex(asset)!, amount }))
  return { kind: 'account', next: account?.next ?? 0, balances }
}

function fateOf(
  { book }: ServedLedger,
  register: RegisterBook,
  ledger: Uint8Array,
  index: number,
): (Answer & { kind: 'fate' })['fate'] {
  const hex = toHex(ledger)
  if (hex === book.descriptor.hex && register.burns.get(index)?.refunded) return 'refunded'
  return register.spent.get(`${hex} ${index}`) ?? 'open'
}

export function onProve(scene: LedgerScene, from: NodeId, { query, index }: LedgerRequest & { kind: 'prove' }): void {
  if (index < scene.ledger.head.size) giveReceipt(scene, from, query, index)
}

export function onCompare(
  scene: LedgerScene,
  from: NodeId,
  { query, first }: LedgerRequest & { kind: 'compare' },
): void {
  const { ledger, settings } = scene
  const { head, tree } = ledger
  if (first > head.size) return
  const path = consistencyProof(tree, first, head.size, settings.suite.hash)
  send(scene, from, { kind: 'compared', query, first, path, checkpoint: head })
}
