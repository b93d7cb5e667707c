// The trusted third party (OMA §5.5; lemmas 7 to 9 of the appendix on solvability), and a party that is asked and not to be
// trusted (lemma 1): whoever is asked for a slot knows who has it.

import { seededRandom } from '../../src/core/index.ts'
import { type BaselineEvent, partyMember, partyVocabulary, thirdParty } from '../../src/papers/slots/index.ts'
import { calm, type Micros, World } from '../../src/simulator/index.ts'
import { type Experiment, type Result, type Row, type RunOptions, row } from '../experiment.ts'
import { rateTolerance } from '../statistics.ts'

const CONFIDENCE = 0.999
const MILLISECOND: Micros = 1_000
/** δ: where messages are bounded, every one arrives within it. */
const DELAY_MAX = 5
const RUNS = { small: 1_000, full: 20_000 }
/** Without a bound that the adversary knows: a message may be later than it waits for. The longer it waits, the rarer. */
const LATE = 8

interface Party {
  readonly honest: number
  readonly curious: number
  readonly slots: number
  /** w: how many slots are out at a time. */
  readonly atOnce?: number
  /** What the curious ones ask for, all together. */
  readonly asked: number
  readonly bounded?: boolean
}

interface PartyRun {
  /** Which slot each honest member has, if any. */
  readonly held: readonly (number | undefined)[]
  /** What the curious ones got within 2δ. */
  readonly got: readonly number[]
  /** Whom the party itself gave which slot. */
  readonly gave: ReadonlyMap<string, number>
}

/** The honest ones that want a slot ask first, then the curious ones ask all at once and look at the clock. */
function askAll(seed: number, party: Party, wants: readonly boolean[]): PartyRun {
  const { honest, curious, slots, atOnce = slots, asked, bounded = true } = party
  const spread = (bounded ? DELAY_MAX - 1 : LATE) * MILLISECOND
  const world = new World({ seed, network: { ...calm, delayMin: MILLISECOND, delaySpread: spread } })
  const gave = new Map<string, number>()
  world.add({ id: 'party', protocol: watched(slots, atOnce, gave), peers: [], vocabulary: partyVocabulary })
  const members = Array.from({ length: honest + curious }, (_, place) => `member-${place}`)
  for (const id of members) world.add({ id, protocol: partyMember(), peers: ['party'], vocabulary: partyVocabulary })
  const got: number[] = []
  const held: (number | undefined)[] = new Array(honest).fill(undefined)
  world.listen((node, event) => {
    const place = members.indexOf(node.spec.id)
    const { slot } = event as BaselineEvent
    if (place >= honest) got.push(slot)
    else held[place] = slot
  })
  for (const id of ['party', ...members]) world.start(id)
  for (const [place, want] of wants.entries()) if (want) world.command(members[place]!, { kind: 'request', id: 1 })
  // Long enough that the honest have theirs, whatever the network.
  world.run(2 * (LATE + DELAY_MAX) * MILLISECOND)
  // A curious member may ask several times: what the party does not forbid, it does.
  for (let request = 0; request < asked; request++) {
    world.command(members[honest + (request % curious)]!, { kind: 'request', id: 2 + request })
  }
  world.run(world.now + 2 * DELAY_MAX * MILLISECOND)
  return { held, got, gave }
}

function watched(slots: number, atOnce: number, gave: Map<string, number>): ReturnType<typeof thirdParty> {
  const party = thirdParty(slots, atOnce)
  return {
    ...party,
    step: (state, input, turn) =>
      party.step(state, input, {
        now: turn.now,
        below: bound => turn.below(bound),
        bytes: length => turn.bytes(length),
        do(effect) {
          if (effect.kind === 'send' && effect.body.kind === 'grant') gave.set(effect.to, effect.body.slot)
          turn.do(effect)
        },
      }),
  }
}

const missing = ({ got }: PartyRun, slots: number) =>
  Array.from({ length: slots }, (_, slot) => slot).filter(slot => !got.includes(slot))

type Look = (run: PartyRun, wants: readonly boolean[]) => boolean | undefined

export const thirdPartyExperiment: Experiment = {
  name: 'third-party',
  title: 'A trusted third party keeps the secret from n - 2, and cannot from n - 1 with a clock.',
  source: 'OMA §4.3, lemma 1; §5.5; lemmas 7, 8 and 9 of the appendix on solvability',
  run({ scale, seed, progress }: RunOptions): Result {
    const runs = RUNS[scale]
    const random = seededRandom(seed, 0x777)
    /** The share of runs in which it is so, among those in which there is something to say. */
    const share = (party: Party, look: Look) => {
      let [so, said] = [0, 0]
      for (let run = 0; run < runs; run++) {
        const wants = Array.from({ length: party.honest }, () => random.chance(0.5))
        const seen = look(askAll(seed * 100_000 + run, party, wants), wants)
        if (seen !== undefined) said++
        if (seen) so++
      }
      return { rate: so / said, said }
    }
    const rows = [...trustedRows(share, random.below), ...clockRows(share)]
    progress(1, 'third party')
    const notes = [
      `n = 5, m = 3 (lemma 9: m = 4, |C| = 3, w = 3), δ = ${DELAY_MAX} ms. The curious ones ask at once; what did not come ` +
        'within 2δ is held by somebody else. With one honest member left, that is who; with two, it is one of them. So ' +
        'n - 2 is the bound for everybody, and the levels of slots meet it without a party to trust.',
      `Lemma 7: with two messages that may take up to ${2 * LATE + 2} ms where the adversary waits ${2 * DELAY_MAX}, what does not come ` +
        'is held or late, and both are seen.',
      'Lemma 9: d = w - (n - |C|), and d + 1 ask. One of them goes without exactly if all of the honest hold. Without a ' +
        'fixed w below m all are served, and nothing is told.',
      'Lemma 1: the party here is one curious process that is asked. It names who has which slot, always.',
    ]
    return { rows, pictures: [], notes }
  },
}

type Share = (party: Party, look: Look) => { readonly rate: number; readonly said: number }

/** Lemma 1, and what n - 2 can do. */
function trustedRows(share: Share, below: (bound: number) => number): readonly Row[] {
  const [slots, members] = [3, 5]
  const asked = share({ honest: 2, curious: members - 2, slots, asked: 0 }, ({ held, gave }, wants) =>
    wants.every((want, place) => !want || gave.get(`member-${place}`) === held[place]),
  )
  const two = share({ honest: 2, curious: members - 2, slots, asked: slots }, (run, wants) => {
    if (wants.includes(false)) return undefined
    const left = missing(run, slots)
    return left[below(left.length)] === run.held[0]
  })
  return [
    row('one curious process that is asked names who has which (lemma 1)', asked.rate, 1, 0),
    row('n - 2 curious: who of two has which, guessed', two.rate, 0.5, rateTolerance(0.5, two.said, CONFIDENCE)),
  ]
}

/** Lemmas 7, 8 and 9: what a clock tells. */
function clockRows(share: Share): readonly Row[] {
  const [slots, members] = [3, 5]
  const one = { honest: 1, curious: members - 1, slots, asked: slots }
  const told = share(one, run => missing(run, slots)[0] === run.held[0])
  const nobody: Look = run => (missing(run, slots).length === 1 ? run.held[0] === undefined : undefined)
  const [bounded, late] = [share(one, nobody), share({ ...one, bounded: false }, nobody)]
  const fixed = { honest: 2, curious: 3, slots: 4, atOnce: 3, asked: 2 }
  const all: Look = ({ got }, wants) => got.length < 2 === wants.every(Boolean)
  const open = share({ ...fixed, atOnce: 4 }, ({ got }) => got.length < 2)
  return [
    row('lemma 8: n - 1 curious, which slot the honest one has, or none, told right', told.rate, 1, 0),
    row('lemma 8: one slot did not come, and nobody holds it', bounded.rate, 0, 0),
    row('lemma 7, no bound: one slot did not come, and nobody holds it: seen (1 = yes)', late.rate > 0 ? 1 : 0, 1, 0),
    row('lemma 7, no bound: the same, and it is held: seen (1 = yes)', late.rate < 1 ? 1 : 0, 1, 0),
    row('lemma 9: w fixed, whether all of the honest hold, told right', share(fixed, all).rate, 1, 0),
    row('lemma 9 without its w: anything seen', open.rate, 0, 0),
  ]
}
