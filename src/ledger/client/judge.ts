// What the answers to a call add up to. A proof counts whoever shows it; a claim counts when more servers make it than can
// lie, and a read besides only at a height that every finished transfer had reached when it began (protocols/ledger J6).

import { encode, kthLargest, type NodeId, sameBytes, toHex } from '../../core/index.ts'
import { type Checkpoint, noteText, whyNotCertified } from '../checkpoint.ts'
import { type Descriptor, type Keepers, newestEpoch, votesNeeded } from '../genesis.ts'
import { extend, frontierFrom, leafHash, verifyConsistency } from '../merkle.ts'
import { type LedgerReceipt, whyNotThere } from '../receipt.ts'
import { isFinal } from '../refusal.ts'
import { readTransaction, signingBytes } from '../transactions.ts'
import { answerCodec, type LedgerReply } from '../wire.ts'
import { type Call, CERTIFIED_MAX, type ClientScene, type LedgerEvent } from './state.ts'

type Answers = ReadonlyMap<NodeId, LedgerReply>

/** What a call has come to; nothing while it is open. */
export function judge(scene: ClientScene, call: Call): LedgerEvent | undefined {
  const { asked } = call
  switch (asked.kind) {
    case 'offers':
      return judgeOffers(scene, call)
    case 'caught':
      return judgeCaught(scene, call)
    case 'find':
      return judgeFound(scene, asked.id, call.answers)
    case 'create':
      return judgeCreated(scene, asked.id, call.answers)
    default: {
      const descriptor = scene.state.ledgers.get(asked.ledger)
      return descriptor && (judgeUnknown(descriptor, asked.id, call.answers) ?? judgeAbout(scene, descriptor, call))
    }
  }
}

function judgeAbout(scene: ClientScene, descriptor: Descriptor, call: Call): LedgerEvent | undefined {
  const { asked } = call
  switch (asked.kind) {
    case 'submit':
      return judgeReceipt(scene, descriptor, call) ?? judgeRefused(scene, descriptor, call)
    case 'prove':
      return judgeReceipt(scene, descriptor, call)
    case 'ask':
      return judgeAnswered(scene, descriptor, call)
    case 'compare':
      return judgeCompared(scene, descriptor, call)
    case 'page':
      return judgePaged(scene, descriptor, call)
    case 'pledge':
      return judgePledged(scene, descriptor, call)
    default:
      return undefined
  }
}

function of<K extends LedgerReply['kind']>(answers: Answers, kind: K): [NodeId, Extract<LedgerReply, { kind: K }>][] {
  const found: [NodeId, Extract<LedgerReply, { kind: K }>][] = []
  for (const [server, reply] of answers)
    if (reply.kind === kind) found.push([server, reply as Extract<LedgerReply, { kind: K }>])
  return found
}

/** What counts by how many say it, counts from those who keep the ledger: others may be behind, and nobody vouches for them. */
function ofKeepers<K extends LedgerReply['kind']>({ servers }: Keepers, answers: Answers, kind: K) {
  return of(answers, kind).filter(([name]) => servers.some(server => server.name === name))
}

/** How often keys, or lies, are asked for before those who do not answer are left out, where that is allowed. */
const OFFERS_ASKED = 3

/** The genesis names the keys of all: all must say theirs. The next keepers are named with those that are there. */
function judgeOffers({ state }: ClientScene, { asked, answers, said }: Call): LedgerEvent | undefined {
  if (asked.kind !== 'offers') return undefined
  const named = asked.of ?? state.servers
  const offered = named.filter(server => answers.get(server)?.kind === 'offered')
  const needed = said < OFFERS_ASKED ? named.length : (asked.needed ?? named.length)
  if (offered.length < needed) return undefined
  return { kind: 'offers', id: asked.id, offers: offered.map(server => offerOf(server, answers)) }
}

/** What each of them says: who shows it counts. */
function judgeCaught({ state }: ClientScene, { asked, answers, said }: Call): LedgerEvent | undefined {
  const blamed = of(answers, 'blamed')
  if (said < OFFERS_ASKED && blamed.length < state.servers.length) return undefined
  return { kind: 'caught', id: asked.id, told: new Map(blamed.map(([server, { lies }]) => [server, lies])) }
}

function offerOf(server: NodeId, answers: Answers) {
  const { key, salt } = answers.get(server) as LedgerReply & { kind: 'offered' }
  return { server, key, salt }
}

function judgeFound({ state, settings }: ClientScene, id: number, answers: Answers): LedgerEvent | undefined {
  const counts = new Map<string, { count: number; genesis: Uint8Array | undefined }>()
  for (const [, { genesis }] of of(answers, 'found')) {
    const name = genesis === undefined ? '' : toHex(genesis)
    const entry = counts.get(name) ?? { count: 0, genesis }
    entry.count++
    counts.set(name, entry)
  }
  for (const [name, { count, genesis }] of counts) {
    if (name !== '' && count > settings.liars) return { kind: 'found', id, genesis }
  }
  // A ledger has been opened at n - f servers when its maker was told; n - f that know none share one with them that is honest.
  const none = counts.get('')?.count ?? 0
  const needed = state.servers.length - settings.crashes
  return none >= needed ? { kind: 'found', id, genesis: undefined } : undefined
}

function judgeCreated({ state, settings }: ClientScene, id: number, answers: Answers): LedgerEvent | undefined {
  const created = of(answers, 'created')
  const ok = created.filter(([, { why }]) => why === '').length
  const words = Object.fromEntries(created.map(([server, { why }]) => [server, why === '' ? 'opened' : why]))
  if (ok >= state.servers.length - settings.crashes) return { kind: 'created', id, answers: words, ok: true }
  return created.length - ok > settings.crashes ? { kind: 'created', id, answers: words, ok: false } : undefined
}

function judgeUnknown(descriptor: Descriptor, id: number, answers: Answers): LedgerEvent | undefined {
  const keepers = newestEpoch(descriptor)
  return ofKeepers(keepers, answers, 'unknown').length > keepers.crashes + keepers.liars
    ? { kind: 'unknown', id }
    : undefined
}

function judgeReceipt(scene: ClientScene, descriptor: Descriptor, { asked, answers }: Call): LedgerEvent | undefined {
  for (const [, { leaf, index, path, checkpoint }] of of(answers, 'receipt')) {
    if (asked.kind === 'submit' && !sameBytes(leaf, asked.leaf)) continue
    // By one who keeps the ledger no more it would be a proof that linked ledgers do not take.
    const old = checkpoint.size < newestEpoch(descriptor).from
    if (asked.kind === 'prove' && (index !== asked.index || old)) continue
    const receipt = { ledger: descriptor.id, leaf, index, path, checkpoint }
    if (holds(scene, descriptor, receipt)) return { kind: 'receipt', id: asked.id, receipt }
  }
  return undefined
}

function holds(scene: ClientScene, descriptor: Descriptor, receipt: LedgerReceipt): boolean {
  const { suite } = scene.settings
  // The signatures of one certificate are looked at once for all its receipts.
  return isCertified(scene, descriptor, receipt.checkpoint) && whyNotThere(receipt, descriptor, suite) === undefined
}

function isCertified(scene: ClientScene, descriptor: Descriptor, checkpoint: Checkpoint): boolean {
  const { sound } = scene.state
  if (sound.has(checkpoint)) return true
  const certified = isNoteCertified(scene, descriptor, checkpoint)
  if (certified) sound.add(checkpoint)
  else if (!scene.state.doubted.has(descriptor.hex)) scene.state.doubted.set(descriptor.hex, 0)
  return certified
}

function isNoteCertified({ state, settings }: ClientScene, descriptor: Descriptor, checkpoint: Checkpoint): boolean {
  const name = noteText(descriptor, checkpoint)
  if (state.certified.has(name)) {
    // The text is certified; these votes may be rubbish, and are handed on to others.
    const signed = whyNotCertified(descriptor, checkpoint, { ...settings.suite, verify: () => true }, settings.rules)
    return signed === undefined && sameVotes(state, name, checkpoint, settings, descriptor)
  }
  if (whyNotCertified(descriptor, checkpoint, settings.suite, settings.rules) !== undefined) return false
  if (state.certified.size >= CERTIFIED_MAX) state.certified.delete(state.certified.keys().next().value!)
  state.certified.add(name)
  state.certified.add(votesName(name, checkpoint))
  while (state.certified.size > CERTIFIED_MAX) state.certified.delete(state.certified.keys().next().value!)
  return true
}

function votesName(text: string, { votes }: Checkpoint): string {
  return `${text}${votes.map(({ server, signature }) => `${server} ${toHex(signature)}`).join('\n')}`
}

function sameVotes(
  state: ClientScene['state'],
  name: string,
  checkpoint: Checkpoint,
  { suite, rules }: ClientScene['settings'],
  descriptor: Descriptor,
): boolean {
  const votes = votesName(name, checkpoint)
  if (state.certified.has(votes)) return true
  if (whyNotCertified(descriptor, checkpoint, suite, rules) !== undefined) return false
  if (state.certified.size >= CERTIFIED_MAX) state.certified.delete(state.certified.keys().next().value!)
  state.certified.add(votes)
  return true
}

/** Of one word: at one size where that is for ever; else at sizes of the keepers of now, of which b + 1 reached what it names. */
function judgeRefused(
  { settings }: ClientScene,
  descriptor: Descriptor,
  { asked, answers }: Call,
): LedgerEvent | undefined {
  const keepers = newestEpoch(descriptor)
  const groups = new Map<string, (LedgerReply & { kind: 'refused' })[]>()
  for (const [, refusal] of ofKeepers(keepers, answers, 'refused')) {
    const { code } = refusal
    const final = isFinal(refusal)
    // By the keepers before: it does not know what was certified since.
    if (!final && refusal.size < keepers.from) continue
    const name = final ? `${code} ${refusal.size}` : code
    const group = [...(groups.get(name) ?? []), refusal]
    groups.set(name, group)
    if (group.length < settings.rules.refusalsNeeded(final, keepers)) continue
    const sizes = group.map(({ size }) => size)
    return { kind: 'refused', id: asked.id, code, why: mostSaid(group), size: kthLargest(sizes, keepers.liars + 1) }
  }
  return undefined
}

/** One that lies chooses its sentence, too. */
function mostSaid(refusals: readonly { readonly why: string }[]): string {
  const times = (why: string) => refusals.filter(one => one.why === why).length
  return refusals.reduce((best, { why }) => (times(why) > times(best) ? why : best), refusals[0]!.why)
}

function judgeAnswered(scene: ClientScene, descriptor: Descriptor, call: Call): LedgerEvent | undefined {
  const keepers = newestEpoch(descriptor)
  const answered = ofKeepers(keepers, call.answers, 'answered')
  if (answered.length < keepers.servers.length - keepers.crashes) return undefined
  // A finished transfer has the votes of n - f - b honest servers, and b + 1 of them at least answer here.
  call.target ??= kthLargest(
    answered.map(([, { voted }]) => voted),
    keepers.liars + 1,
  )
  const groups = new Map<string, Checkpoint[]>()
  for (const [, { answer, checkpoint }] of answered) {
    if (checkpoint.height < call.target) continue
    const name = toHex(encode(answerCodec, answer))
    const group = groups.get(name) ?? []
    group.push(checkpoint)
    groups.set(name, group)
    if (group.length <= keepers.liars) continue
    const shown = group.sort((one, other) => one.size - other.size).find(one => isCertified(scene, descriptor, one))
    if (shown !== undefined) return { kind: 'answer', id: call.asked.id, answer, checkpoint: shown }
  }
  return undefined
}

/** Pledges of as many of the new keepers as it takes to certify. */
function judgePledged(
  { settings }: ClientScene,
  { id }: Descriptor,
  { asked, answers }: Call,
): LedgerEvent | undefined {
  const read = asked.kind === 'pledge' ? readTransaction(asked.leaf) : undefined
  if (!read?.ok || read.value.kind !== 'epoch') return undefined
  const next = read.value
  const message = signingBytes(id, next)
  const pledges = of(answers, 'pledged').flatMap(([name, { signature }]) => {
    const server = next.servers.findIndex(voter => voter.name === name)
    const voter = next.servers[server]
    return voter !== undefined && settings.suite.verify(voter.key, message, signature) ? [{ server, signature }] : []
  })
  if (pledges.length >= votesNeeded(next))
    return { kind: 'pledged', id: asked.id, pledges: pledges.sort((one, other) => one.server - other.server) }
  // So many of those who are to keep it say no that it can no longer be enough.
  const [refused, ...more] = ofKeepers(next, answers, 'refused').map(([, reply]) => reply)
  if (refused === undefined || more.length < next.crashes) return undefined
  return { kind: 'refused', id: asked.id, code: refused.code, why: refused.why, size: refused.size }
}

function judgeCompared(scene: ClientScene, descriptor: Descriptor, { asked, answers }: Call): LedgerEvent | undefined {
  if (asked.kind !== 'compare') return undefined
  const { id } = asked
  const older = { size: asked.first, root: asked.root }
  const keepers = newestEpoch(descriptor)
  // A right path counts whoever shows it. One server that shows a wrong one shows nothing; more than can lie, each with a certificate, show another history.
  let wrong = 0
  for (const [server, { first, path, checkpoint }] of of(answers, 'compared')) {
    if (first !== asked.first || !isCertified(scene, descriptor, checkpoint)) continue
    if (verifyConsistency(older, checkpoint, path, scene.settings.suite.hash))
      return { kind: 'compared', id, path, checkpoint }
    if (keepers.servers.some(one => one.name === server) && ++wrong > keepers.liars)
      return { kind: 'forked', id, checkpoint, server }
  }
  return undefined
}

/** A page that ends at its certificate is checked here; a page on the way is handed on as it is. */
function judgePaged(scene: ClientScene, descriptor: Descriptor, { asked, answers }: Call): LedgerEvent | undefined {
  if (asked.kind !== 'page') return undefined
  const { hash } = scene.settings.suite
  for (const [server, { from, frontier, leaves, checkpoint }] of of(answers, 'paged')) {
    if (from !== asked.from || !isCertified(scene, descriptor, checkpoint)) continue
    const tree = frontierFrom(from, frontier)
    if (tree === undefined || from + leaves.length > checkpoint.size) continue
    for (const leaf of leaves) extend(tree, leafHash(leaf, hash), hash)
    return { kind: 'page', id: asked.id, from, frontier, leaves, checkpoint, server }
  }
  return undefined
}
