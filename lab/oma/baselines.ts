// The two baselines that the paper rules out or measures itself against, attacked as its lemmas say: the trivial token
// (§5.1, lemmas 2 and 3) and the trusted third party (§5.5; appendix A, lemmas 7 to 9 there).

import { type AnyProtocol, type NodeId, seededRandom } from '../../src/core/index.ts'
import {
  type BaselineEvent,
  type Passage,
  partyMember,
  partyVocabulary,
  type TokenMessage,
  thirdParty,
  tokenVocabulary,
  trivialToken,
  wasKept,
} from '../../src/papers/slots/index.ts'
import { calm, type Micros, World } from '../../src/simulator/index.ts'
import { type Experiment, type Result, type RunOptions, row } from '../experiment.ts'
import { rateTolerance } from '../statistics.ts'

const CONFIDENCE = 0.999
const MILLISECOND: Micros = 1_000
/** δ: every message arrives within it. */
const DELAY_MAX = 5
const BOUNDED = { ...calm, delayMin: MILLISECOND, delaySpread: (DELAY_MAX - 1) * MILLISECOND }
const RUNS = { small: 60, full: 2_000 }

interface Watched {
  readonly passages: readonly Passage[]
  readonly slot: number | undefined
}

/** One honest member between two curious ones, in a ring of five; it wants a slot or not, and keeps it for `hold`. */
function watchTrivial(seed: number, slots: number, wants: boolean, hold: number): Watched {
  const world = new World({ seed, network: BOUNDED })
  const ring = Array.from({ length: 5 }, (_, place) => `member-${place}`)
  const [before, honest, after] = [ring[1]!, ring[2]!, ring[3]!]
  const sentAt = new Map<number, number>()
  const passages: Passage[] = []
  const machine = trivialToken(slots)
  const watching = (id: NodeId): AnyProtocol => ({
    ...machine,
    step(state, input, turn) {
      const token = input.kind === 'message' ? (input.body as TokenMessage) : undefined
      if (id === after && token !== undefined && sentAt.has(token.slot)) {
        passages.push({ slot: token.slot, sentAt: sentAt.get(token.slot)!, cameAt: turn.now })
      }
      machine.step(state, input, {
        now: turn.now,
        below: bound => turn.below(bound),
        bytes: length => turn.bytes(length),
        do(effect) {
          if (id === before && effect.kind === 'send') sentAt.set(effect.body.slot, turn.now)
          turn.do(effect)
        },
      })
    },
  })
  for (const id of ring) world.add({ id, protocol: watching(id), peers: ring, vocabulary: tokenVocabulary })
  let slot: number | undefined
  world.listen((node, event) => {
    const granted = event as BaselineEvent
    if (node.spec.id !== honest) return
    slot = granted.slot
    world.at(world.now + hold * MILLISECOND, () => world.command(honest, { kind: 'release', id: granted.id }))
  })
  for (const id of ring) world.start(id)
  if (wants) world.command(honest, { kind: 'request', id: 1 })
  world.run(400 * MILLISECOND)
  return { passages, slot }
}

export const trivialTokenExperiment: Experiment = {
  name: 'trivial-token',
  title: 'The trivial token: two neighbours with a clock see who holds, and which slot.',
  source: 'OMA §5.1, lemmas 2 and 3',
  run({ scale, seed, progress }: RunOptions): Result {
    const runs = RUNS[scale]
    const random = seededRandom(seed, 0x702)
    const rate = (slots: number, hold: number, right: (seen: Watched, wants: boolean) => boolean) => {
      let won = 0
      for (let run = 0; run < runs; run++) {
        progress(run / runs, 'trivial token')
        const wants = random.chance(0.5)
        if (right(watchTrivial(seed * 10_000 + run, slots, wants, hold), wants)) won++
      }
      return won / runs
    }
    const kept = ({ passages }: Watched) => passages.filter(passage => wasKept(passage, DELAY_MAX))
    const holds = (seen: Watched, wants: boolean) => kept(seen).length > 0 === wants
    const which = (seen: Watched) => kept(seen)[0]?.slot === seen.slot
    const short = rate(1, 0, (seen, wants) => kept(seen).length === 0 || !wants)
    const rows = [
      row('m = 1, held for more than 2δ: holds or not, told right', rate(1, 3 * DELAY_MAX, holds), 1, 0),
      row('m = 1: and which slot (lemma 3)', rate(1, 3 * DELAY_MAX, which), 1, 0),
      row('m = 3: which slot, since each token names its own', rate(3, 3 * DELAY_MAX, which), 1, 0),
      row('m = 1, held for no time at all: nothing seen', short, 1, 0),
    ]
    const notes = [
      `δ = ${DELAY_MAX} ms, one honest member between two curious ones: they compare when the token was sent to it and ` +
        '' +
        'when it came out. Longer than 2δ: it was kept. No message is opened, and none could hide it.',
      'The levels of slots pass their tokens on at once, whether a slot is held or not.',
    ]
    return { rows, pictures: [], notes }
  },
}

interface PartyRun {
  /** Which slot the honest member has, if any. */
  readonly held: number | undefined
  /** What the curious ones got within 2δ. */
  readonly got: readonly number[]
}

/** The honest ones ask first (or do not), then the curious ones ask for everything at once and look at the clock. */
function askEverything(seed: number, honest: number, curious: number, slots: number, wants: boolean): PartyRun {
  const world = new World({ seed, network: BOUNDED })
  world.add({ id: 'party', protocol: thirdParty(slots), peers: [], vocabulary: partyVocabulary })
  const members = Array.from({ length: honest + curious }, (_, place) => `member-${place}`)
  for (const id of members) world.add({ id, protocol: partyMember(), peers: ['party'], vocabulary: partyVocabulary })
  const got: number[] = []
  let held: number | undefined
  world.listen((node, event) => {
    const { slot } = event as BaselineEvent
    if (members.indexOf(node.spec.id) >= honest) got.push(slot)
    else if (node.spec.id === members[0]) held = slot
  })
  for (const id of ['party', ...members]) world.start(id)
  if (wants) for (const id of members.slice(0, honest)) world.command(id, { kind: 'request', id: 1 })
  world.run(3 * DELAY_MAX * MILLISECOND)
  // A curious member may ask several times: what the party does not forbid, it does.
  for (let asked = 0; asked < slots; asked++) {
    world.command(members[honest + (asked % curious)]!, { kind: 'request', id: 2 + asked })
  }
  world.run(world.now + 2 * DELAY_MAX * MILLISECOND)
  return { held, got }
}

export const thirdPartyExperiment: Experiment = {
  name: 'third-party',
  title: 'A trusted third party keeps the secret from n - 2, and cannot from n - 1.',
  source: 'OMA §5.5; appendix A, lemmas 7 to 9',
  run({ scale, seed, progress }: RunOptions): Result {
    const runs = RUNS[scale] * 4
    const random = seededRandom(seed, 0x777)
    const [slots, members] = [3, 5]
    const missing = ({ got }: PartyRun) => [0, 1, 2].filter(slot => !got.includes(slot))
    let [alone, pair] = [0, 0]
    for (let run = 0; run < runs; run++) {
      progress(run / runs, 'third party')
      const wants = random.chance(0.5)
      const one = askEverything(seed * 100_000 + run, 1, members - 1, slots, wants)
      if (missing(one)[0] === one.held) alone++
      const two = askEverything(seed * 100_000 + run, 2, members - 2, slots, true)
      const left = missing(two)
      if (left[random.below(left.length)] === two.held) pair++
    }
    const rows = [
      row('n - 1 curious: which slot the honest one has, or none, told right (lemma 8)', alone / runs, 1, 0),
      row('n - 2 curious: who of two has which, guessed', pair / runs, 0.5, rateTolerance(0.5, runs, CONFIDENCE)),
    ]
    const notes = [
      `n = ${members}, m = ${slots}, δ = ${DELAY_MAX} ms. The curious ones ask for all slots at once; what did not ` +
        'come ' +
        'within 2δ is held by somebody else. With one honest member left, that is who; with two, it is one of them.',
      'So n - 2 is the bound for everybody, and the levels of slots meet it without a party to trust. In ' +
        'an asynchronous ' +
        'system (lemma 7) the clock tells nothing: a grant may still be on its way.',
      'Lemma 9 is the same look at the clock with w fixed: if w ≥ n - |C| and all of the honest hold, one ' +
        'of w - (n - |C|) + 1 ' +
        'requests does not come in time.',
    ]
    return { rows, pictures: [], notes }
  },
}
