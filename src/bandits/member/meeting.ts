// How a run comes about: the user asks who has its arms, invites all parties to the same terms, and begins once every one
// of them has agreed to the same run. Until then no arm is pulled, and a refusal is definite.

import { encode, type NodeId, SettingsError, sameBytes } from '../../core/index.ts'
import { digest, runDigest } from '../party.ts'
import { rewardGrid } from '../rewards.ts'
import { scheduleOf } from '../schedule.ts'
import { type BanditParty, type BanditRun, checkRun } from '../settings.ts'
import { searchCourse } from '../thesis/searching.ts'
import {
  armOf,
  countServed,
  endForAll,
  endHere,
  give,
  newPlaying,
  rolesOf,
  runOfArm,
  tellAnswer,
  wake,
  watchRun,
} from './hosting.ts'
import { charge, hasRoomFor, log, RUN_LOG_BYTES } from './log.ts'
import {
  type Asking,
  armKey,
  type BanditMemberScene,
  everyParty,
  type Hosted,
  memberTimers,
  newLog,
  partiesOf,
  RUNS_OF_USER_MAX,
  runOf,
  saveRecord,
  type Wanted,
} from './state.ts'
import { type MemberMessage, type Role, RUNS_MAX, type Terms, termsCodec, WHY_BYTES_MAX } from './wire.ts'

const ID_BYTES = 16
const SALT_BYTES = 32

function say({ state, turn, own: _own }: BanditMemberScene, to: NodeId, body: MemberMessage): boolean {
  if (to === state.self) return false
  turn.do({ kind: 'send', to, body })
  return true
}

// The user's side.

/** A run of these very terms that was under way before a restart goes on; any other of the name is given up. */
export function onAsk(scene: BanditMemberScene, wanted: Wanted): void {
  const { state, turn } = scene
  const { name } = wanted
  if (state.asking.has(name)) return unstarted(scene, name, `a run of the name '${name}' is asked for here already`)
  for (const hosted of [...state.runs.values()]) {
    if (hosted.terms.name !== name || !hosted.roles.has('user')) continue
    if (hosted.roles.get('user')!.awake) return unstarted(scene, name, `a run of the name '${name}' is under way here`)
    if (scene.settings.rules.resumes(isSame(wanted, hosted.terms))) {
      if (hosted.log.answer !== undefined) return tellAnswer(scene, hosted)
      wake(scene, hosted, 'user')
      return begin(scene, hosted, wanted)
    }
    endForAll(scene, hosted)
  }
  state.asking.set(name, { wanted, owners: new Map(), terms: undefined, accepted: new Set() })
  seek(scene, name)
  memberTimers.set(turn, 'seek', scene.settings.repeat, name)
}

function isSame(wanted: Wanted, terms: Terms): boolean {
  const of = ({
    algorithm,
    budget,
    batch,
    shuffler,
    comparator,
    audit,
    level = 'blind',
    pace = 0,
    armTimeout = 0,
    drops = false,
  }: Wanted | Terms) => [algorithm, budget, batch, shuffler, comparator, audit, level, pace, armTimeout, drops]
  const seats = wanted.search?.drawers ?? wanted.arms
  const one = [...of(wanted), ...wanted.rewards, ...seats]
  const seated = terms.seats.map(({ arm, member }) => (wanted.search === undefined ? arm : member))
  const other = [...of(terms), terms.least, terms.most, ...seated]
  return one.length === other.length && one.every((value, at) => value === other[at])
}

function unstarted(scene: BanditMemberScene, name: string, why: string): void {
  scene.turn.do({ kind: 'emit', event: { kind: 'unstarted', name, why } })
}

export function onSeek(scene: BanditMemberScene, name: string): void {
  if (!scene.state.asking.has(name)) return
  seek(scene, name)
  memberTimers.set(scene.turn, 'seek', scene.settings.repeat, name)
}

/** Asks for what is missing: owners of arms, or the word of a party. */
function seek(scene: BanditMemberScene, name: string): void {
  const { state } = scene
  const asking = state.asking.get(name)!
  if (asking.terms === undefined) {
    const missing = asking.wanted.arms.filter(arm => !asking.owners.has(arm))
    for (const arm of missing) if (state.serving.has(armKey(name, arm))) asking.owners.set(arm, state.self)
    if (asking.wanted.search === undefined) for (const to of state.known.keys()) say(scene, to, { kind: 'call', name })
    invite(scene, asking)
    return
  }
  for (const to of partiesOf(asking.terms)) if (!asking.accepted.has(to)) sendInvitation(scene, to, asking.terms)
}

export function onServes(
  scene: BanditMemberScene,
  from: NodeId,
  { name, arms }: MemberMessage & { kind: 'serves' },
): void {
  const asking = scene.state.asking.get(name)
  if (asking === undefined || asking.terms !== undefined || !scene.state.known.has(from)) return
  for (const arm of arms) {
    const owner = asking.owners.get(arm)
    if (!asking.wanted.arms.includes(arm) || owner === from) continue
    if (owner !== undefined) return giveUp(scene, name, `'${owner}' and '${from}' both serve arm '${arm}'`)
    asking.owners.set(arm, from)
  }
  invite(scene, asking)
}

/** Once every owner is known, and shuffler and comparator are members. */
function invite(scene: BanditMemberScene, asking: Asking): void {
  const { state, turn } = scene
  const { wanted, owners } = asking
  const { name, algorithm, budget, batch, rewards, shuffler, comparator, patience, audit, level = 'blind' } = wanted
  const { pace = 0, armTimeout = 0, drops = false } = wanted
  const isKnown = (id: NodeId) => id === state.self || state.known.has(id)
  if (asking.terms !== undefined || !isKnown(shuffler) || !isKnown(comparator)) return
  const isMissing = wanted.search?.drawers.some(drawer => !isKnown(drawer)) ?? wanted.arms.some(arm => !owners.has(arm))
  if (isMissing) return
  const id = [...turn.bytes(ID_BYTES)].map(byte => byte.toString(16).padStart(2, '0')).join('')
  const seats =
    wanted.search?.drawers.map((member, phase) => ({ arm: `phase-${phase + 1}`, member })) ??
    wanted.arms.map(arm => ({ arm, member: owners.get(arm)! }))
  const [least, most] = rewards
  const fixed = { id, name, algorithm, budget, batch, least, most, shuffler, comparator, patience, audit, level }
  const terms: Terms = { ...fixed, seats, user: state.self, pace, armTimeout, drops }
  const why = refusal(scene, terms)
  if (why !== undefined) return giveUp(scene, name, why)
  asking.terms = terms
  for (const to of partiesOf(terms)) sendInvitation(scene, to, terms)
  // The user itself agrees where it has no other part.
  if (armOf(state.self, terms) === undefined) agree(scene, terms, state.self)
}

function sendInvitation(scene: BanditMemberScene, to: NodeId, terms: Terms): void {
  if (!say(scene, to, { kind: 'invite', terms }) && armOf(to, terms) !== undefined) considerArm(scene, terms)
}

export function onAccepted(
  scene: BanditMemberScene,
  from: NodeId,
  { id, run }: MemberMessage & { kind: 'accepted' },
): void {
  const asking = askingFor(scene, id)
  const terms = asking?.terms
  if (asking === undefined || terms === undefined) {
    // An invitation of an earlier life, which was killed before the run began: whoever took it may forget it.
    if (!scene.state.runs.has(id)) say(scene, from, { kind: 'over', id })
    return
  }
  if (!partiesOf(terms).includes(from)) return
  const own = boundRun(scene, terms)
  if (own === undefined) return
  if (!sameBytes(runDigest(scene.settings.keys.tools, own), run)) {
    return giveUp(scene, terms.name, `'${from}' knows other keys of the parties than this member`)
  }
  agree(scene, terms, from)
}

function askingFor({ state }: BanditMemberScene, id: string): Asking | undefined {
  return [...state.asking.values()].find(({ terms }) => terms?.id === id)
}

/** With the last word the run begins: from here on arms may be pulled. */
function agree(scene: BanditMemberScene, terms: Terms, from: NodeId): void {
  const { state, turn } = scene
  const asking = askingFor(scene, terms.id)
  if (asking === undefined) return
  asking.accepted.add(from)
  if (partiesOf(terms).some(id => !asking.accepted.has(id))) return
  state.asking.delete(terms.name)
  memberTimers.cancel(turn, 'seek', terms.name)
  const hosted = state.runs.get(terms.id) ?? host(scene, terms, ['user'])
  if (hosted === undefined) return unstarted(scene, terms.name, 'a party of the run is no longer known here')
  if (!hosted.roles.has('user')) {
    hosted.roles.set('user', newPlaying())
    saveRun(scene, hosted)
  }
  wake(scene, hosted, 'user')
  begin(scene, hosted, asking.wanted)
}

/** What only the user knows is told to its own machine, and to nobody else. */
function begin(scene: BanditMemberScene, hosted: Hosted, { search }: Wanted): void {
  give(scene, hosted, 'user', { kind: 'command', body: { kind: 'begin', ...search } })
}

export function onDeclined(
  scene: BanditMemberScene,
  from: NodeId,
  { id, why }: MemberMessage & { kind: 'declined' },
): void {
  const terms = askingFor(scene, id)?.terms
  if (terms === undefined || !partiesOf(terms).includes(from)) return
  giveUp(scene, terms.name, `'${from}' declined: ${why}`)
}

/** Nothing was pulled: the parties that agreed are told to forget it. */
function giveUp(scene: BanditMemberScene, name: string, why: string): void {
  const { state, turn } = scene
  const asking = state.asking.get(name)
  if (asking === undefined) return
  state.asking.delete(name)
  memberTimers.cancel(turn, 'seek', name)
  if (asking.terms !== undefined) {
    for (const to of partiesOf(asking.terms)) say(scene, to, { kind: 'over', id: asking.terms.id })
    const hosted = state.runs.get(asking.terms.id)
    if (hosted !== undefined) endHere(scene, hosted, 'the run was given up')
    state.invited.delete(asking.terms.id)
  }
  unstarted(scene, name, why)
}

export function onCancel(scene: BanditMemberScene, name: string): void {
  const { state } = scene
  const asking = state.asking.get(name)
  if (asking !== undefined) return giveUp(scene, name, missingIn(scene, asking))
  for (const hosted of state.runs.values()) {
    if (hosted.terms.name !== name) continue
    give(scene, hosted, 'user', { kind: 'command', body: { kind: 'cancel' } })
  }
}

/** What a run that has not begun waits for. */
function missingIn({ state }: BanditMemberScene, { wanted, owners, terms, accepted }: Asking): string {
  const named = (names: readonly string[]) => names.map(one => `'${one}'`).join(', ')
  if (terms !== undefined) return `no answer came from ${named(partiesOf(terms).filter(id => !accepted.has(id)))}`
  const strangers = [wanted.shuffler, wanted.comparator, ...(wanted.search?.drawers ?? [])].filter(
    id => id !== state.self && !state.known.has(id),
  )
  if (strangers.length > 0) return `${named(strangers)} is no member that is known here`
  return `nobody serves arm ${named(wanted.arms.filter(arm => !owners.has(arm)))}`
}

// The parties' side.

export function onCall(scene: BanditMemberScene, from: NodeId, name: string): void {
  const { state } = scene
  const prefix = armKey(name, '')
  const arms = [...state.serving.keys()].filter(key => key.startsWith(prefix)).map(key => key.slice(prefix.length))
  if (arms.length > 0) say(scene, from, { kind: 'serves', name, arms })
}

/** The keys of all parties, as this member knows them; undefined while one is not known. */
function knownParties({ state, settings }: BanditMemberScene, terms: Terms): BanditParty[] | undefined {
  const { signer, sealing } = settings.keys
  const self: BanditParty = { id: state.self, signing: signer.publicKey, sealing: sealing.publicKey }
  const parties = partiesOf(terms).map(id => (id === state.self ? self : state.known.get(id)))
  return parties.every(party => party !== undefined) ? (parties as BanditParty[]) : undefined
}

function boundRun(scene: BanditMemberScene, terms: Terms, parties = knownParties(scene, terms)): BanditRun | undefined {
  const nonce = digest(scene.settings.keys.tools, 'terms', encode(termsCodec, terms))
  return parties && runOf(terms, parties, nonce)
}

/** Why these terms cannot be played, in a sentence's end. */
function refusal(scene: BanditMemberScene, terms: Terms): string | undefined {
  const twice = terms.seats.find(({ arm }, place) => terms.seats.findIndex(seat => seat.arm === arm) !== place)
  if (twice !== undefined) return `two arms are called '${twice.arm}'`
  const owner = terms.seats.find(({ member }, place) => terms.seats.findIndex(seat => seat.member === member) !== place)
  if (owner !== undefined) {
    const what = terms.level === 'sr-secured' ? 'draws for two phases' : 'serves two of the arms'
    return `'${owner.member}' ${what}; each needs a member of its own`
  }
  // In a ring nobody compares: who would be there for nothing else has no machine to run.
  const idle = partiesOf(terms).find(party => rolesOf(party, terms).length === 0)
  if (idle !== undefined) return `'${idle}' has no part in it`
  // A user whose logs have filled their share has no more runs that are to be audited: they would have none here.
  if (terms.audit && !hasRoomFor(scene, terms.user, 2 * RUN_LOG_BYTES))
    return `logs of '${terms.user}' fill their share here`
  if (terms.audit && terms.level !== 'blind') return 'only a blind run can be audited'
  if (terms.audit && terms.drops) return 'a run that goes on without lost arms cannot be audited'
  if (terms.level !== 'blind' && (terms.pace > 0 || terms.armTimeout > 0 || terms.drops))
    return 'only a blind run keeps time'
  const run = boundRun(scene, terms)
  if (run === undefined) return undefined
  try {
    checkRun(run)
    if (terms.level === 'sr-secured') searchCourse(run)
    else scheduleOf(run)
    rewardGrid(run.rewards)
    return undefined
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return error.message.replace(/\.$/, '')
  }
}

export function onInvite(scene: BanditMemberScene, from: NodeId, { terms }: MemberMessage & { kind: 'invite' }): void {
  const { state } = scene
  const { id, user } = terms
  if (from !== user || user === state.self || !partiesOf(terms).includes(state.self)) return
  const known = state.runs.get(id)
  if (known !== undefined) return accept(scene, known)
  if (state.ended.has(id)) return decline(scene, terms, 'the run is over')
  if (state.invited.has(id)) return
  // Without the keys of all parties there is nothing to say yet: the user asks again.
  if (knownParties(scene, terms) === undefined) return
  // A user has one run of a name. This invitation may be the older of the two, and late: the user says which of them is over.
  const other = [...state.runs.values()].find(run => run.terms.user === user && run.terms.name === terms.name)
  if (other !== undefined) return accept(scene, other)
  const why = refusal(scene, terms) ?? crowded(scene, user)
  if (why !== undefined) return decline(scene, terms, why)
  if (armOf(state.self, terms) !== undefined) return considerArm(scene, terms)
  const hosted = host(scene, terms, rolesOf(state.self, terms))
  if (hosted !== undefined) accept(scene, hosted)
}

function crowded({ state }: BanditMemberScene, user: NodeId): string | undefined {
  const runs = [...state.runs.values()].filter(({ terms }) => terms.user === user).length
  // What the owner of an arm has not answered counts, too: else one user's invitations would leave no room for others'.
  const ofUser = runs + [...state.invited.values()].filter(terms => terms.user === user).length
  if (state.runs.size >= RUNS_MAX || state.invited.size >= RUNS_MAX) return `it takes part in ${RUNS_MAX} runs already`
  return ofUser >= RUNS_OF_USER_MAX ? `it takes part in ${ofUser} runs of '${user}' already` : undefined
}

/** The owner of an arm is asked, unless there is no question. */
function considerArm(scene: BanditMemberScene, terms: Terms): void {
  const { state, turn } = scene
  const { id, name, user } = terms
  const arm = armOf(state.self, terms)!
  if (state.invited.has(id)) return
  const allowed = state.serving.get(armKey(name, arm))
  if (allowed === undefined) return decline(scene, terms, `it does not serve arm '${arm}'`)
  const busy = runOfArm(state, name, arm)
  if (busy?.terms.id === id) return accept(scene, busy)
  if (busy !== undefined && busy.terms.user !== user) return decline(scene, terms, `arm '${arm}' is in another run`)
  if (busy !== undefined) endHere(scene, busy, 'the user asked anew')
  const served = state.served.get(armKey(name, arm)) ?? 0
  if (served >= allowed) {
    return decline(scene, terms, `arm '${arm}' has served ${served} of the ${allowed} runs that its owner allows`)
  }
  state.invited.set(id, terms)
  turn.do({ kind: 'emit', event: { kind: 'asked', arm, terms } })
}

export function onConsent(scene: BanditMemberScene, id: string, why: string | undefined): void {
  const { state } = scene
  const terms = state.invited.get(id)
  if (terms === undefined) return
  state.invited.delete(id)
  if (why !== undefined) return decline(scene, terms, why)
  const arm = armOf(state.self, terms)!
  if (runOfArm(state, terms.name, arm) !== undefined) return decline(scene, terms, `arm '${arm}' is in another run`)
  const hosted = host(scene, terms, ['arm'])
  if (hosted === undefined) return
  countServed(scene, terms.name, arm, 1)
  accept(scene, hosted)
}

function host(scene: BanditMemberScene, terms: Terms, roles: readonly Role[]): Hosted | undefined {
  const { state } = scene
  const run = boundRun(scene, terms)
  if (run === undefined || state.runs.size >= RUNS_MAX) return undefined
  const hosted: Hosted = {
    terms,
    run,
    roles: new Map(roles.map(role => [role, newPlaying()])),
    log: newLog(scene.turn.bytes(SALT_BYTES)),
  }
  state.runs.set(terms.id, hosted)
  if (terms.audit && terms.user !== state.self) charge(scene, terms.user, RUN_LOG_BYTES)
  const { salt } = hosted.log
  log(scene, hosted, { kind: 'opened', self: state.self, terms, parties: everyParty(run), salt })
  saveRun(scene, hosted)
  watchRun(scene, hosted)
  for (const role of roles) if (role !== 'user') wake(scene, hosted, role)
  return hosted
}

function saveRun(scene: BanditMemberScene, { terms, run, roles }: Hosted): void {
  saveRecord(scene, { kind: 'run', terms, parties: everyParty(run), roles: [...roles.keys()] })
}

function accept(scene: BanditMemberScene, { terms, run }: Hosted): void {
  const digested = runDigest(scene.settings.keys.tools, run)
  if (!say(scene, terms.user, { kind: 'accepted', id: terms.id, run: digested })) agree(scene, terms, terms.user)
}

function decline(scene: BanditMemberScene, terms: Terms, why: string): void {
  const short = why.slice(0, WHY_BYTES_MAX / 3)
  if (!say(scene, terms.user, { kind: 'declined', id: terms.id, why: short })) {
    giveUp(scene, terms.name, `'${terms.user}' declined: ${short}`)
  }
}
