// Three errata of OMA to be seen happening, then gone: the release token that never decrypts (2), the root that is
// off by two (1), and the coordinator that takes its ticket first (12). Those that break a promise of the simulator's
// scenarios are in `errata-oma-rounds`.

import { insecureBareGroup, insecureSmallGroup } from '../../src/crypto/index.ts'
import {
  plantedErrata,
  ringScenario,
  SMALL_MODULUS,
  squareOf,
  squareTickets,
  ticketOfSquare,
} from '../../src/papers/slots/index.ts'
import { runOnce } from '../../src/simulator/index.ts'
import { type Experiment, type Result, type Row, type RunOptions, row } from '../experiment.ts'
import { bonferroni, rateTolerance } from '../statistics.ts'
import { coordinatorPrior } from './adversaries.ts'
import { playPrinted } from './printed-stage.ts'
import { rotatingRate, winTolerance } from './rates.ts'
import { makeRing } from './ring.ts'
import { guessesOf } from './scoring.ts'
import type { Game } from './view.ts'

const CONFIDENCE = 0.999

export const errataRelease: Experiment = {
  name: 'errata-oma-release',
  title: 'The printed release token never decrypts: no round ever ends.',
  source: 'OMA figures 3 and 7; readings OMA 2',
  run({ scale }: RunOptions): Result {
    const sizes = scale === 'small' ? [3, 5] : [3, 4, 5, 8, 16]
    const rounds = (members: number, fullKeyRelease: boolean) => {
      const { world, began } = makeRing({ members, settings: { slots: 1 }, flaws: { fullKeyRelease } })
      world.run(10_000_000)
      return began.size
    }
    const rows = sizes.flatMap(members => [
      row(`n = ${members}, as printed: rounds that end in 10 s`, rounds(members, true), 0, 0),
      row(`n = ${members}, corrected: at least 50 (1 = yes)`, rounds(members, false) >= 50 ? 1 : 0, 1, 0),
    ])
    const notes = [
      'Nobody wants a slot, so every round could end after its first lap. As printed, a member ' +
        're-randomises with the whole ' +
        'key although its own layer is off, and takes its layer off twice: what comes back to the ' +
        'coordinator is noise, ' +
        'which is not n times “released”. Corrected: each layer off once, re-randomised with the keys that remain.',
    ]
    return { rows, pictures: [], notes }
  },
}

export const errataDecoding: Experiment = {
  name: 'errata-oma-decoding',
  title: 'The printed decoding of a ticket is off by two for the larger root: one slot, two holders.',
  source: 'OMA §5.3; readings OMA 1',
  run({ scale, seed }: RunOptions): Result {
    const count = scale === 'small' ? 64 : 1_024
    const tickets = Array.from({ length: count }, (_, ticket) => BigInt(ticket))
    const wrong = (offByTwo: boolean) =>
      tickets.filter(ticket => ticketOfSquare(squareOf(ticket, SMALL_MODULUS), SMALL_MODULUS, offByTwo) !== ticket)
    // A root is itself a square or not: one half, as for any sequence of numbers that knows nothing of p.
    const tolerance = rateTolerance(0.5, count, CONFIDENCE)
    const rows = [
      row(`of the first ${count} tickets, read wrong as printed`, wrong(true).length / count, 0.5, tolerance),
      row(`of the first ${count} tickets, read wrong as corrected`, wrong(false).length, 0, 0),
      row('two holders of one slot, as printed (1 = yes)', twoHolders(true, seed) ? 1 : 0, 1, 0),
      row('two holders of one slot, as corrected (1 = yes)', twoHolders(false, seed) ? 1 : 0, 0, 0),
    ]
    const notes = [
      'The square root by a power is t + 1 or p - (t + 1), whichever is a square itself. From the larger ' +
        'one the paper ' +
        'computes p - (m - 1) = t + 2. It is p - m - 1 = t.',
    ]
    return { rows, pictures: [], notes }
  },
}

/** Five members that all want a slot and keep it; four slots. */
function twoHolders(offByTwo: boolean, seed: number): boolean {
  const group = insecureSmallGroup()
  const tickets = squareTickets(group, SMALL_MODULUS, offByTwo)
  const slots: number[] = []
  for (let run = 0; run < 10; run++) {
    const ring = makeRing({ members: 5, settings: { slots: 4 }, group, tickets, seed: seed * 100 + run })
    const held: number[] = []
    ring.onGranted = (_node, { slot }) => held.push(slot)
    for (const id of ring.members) ring.world.command(id, { kind: 'request', id: 1 })
    ring.world.run(50_000)
    slots.push(held.length - new Set(held).size)
  }
  return slots.some(doubled => doubled > 0)
}

export const errataCoordinator: Experiment = {
  name: 'errata-oma-coordinator',
  title: 'Knowing that the rotating coordinator wanted a slot, one guesses better than one half.',
  source: 'OMA appendix A, lemma 8; readings OMA 12',
  run({ scale, seed, progress }: RunOptions): Result {
    const all = [
      [4, 1],
      [4, 2],
      [4, 3],
      [6, 3],
    ] as const
    const sizes = scale === 'small' ? all.slice(0, 3) : all
    const wanted = scale === 'small' ? 150 : 4_000
    const rows = sizes.flatMap(([members, slots], place) =>
      (['rotating', 'lottery'] as const).flatMap(fairness => {
        progress(place / sizes.length, `n = ${members}, m = ${slots}, ${fairness}`)
        const settings = { slots, level: 'curious', fairness } as const
        const game = { group: insecureBareGroup(), members, settings, brief: true }
        const games: Game[] = []
        for (let session = 0; games.length < wanted; session++) {
          const played = playPrinted(game, seed * 1_000_000 + session, members)
          games.push(...played.filter(({ view }) => view.honest.includes(view.coordinator!)))
        }
        return priorRows(`n = ${members}, m = ${slots}, ${fairness}`, games, fairness === 'rotating')
      }),
    )
    const notes = [
      'The coordinator is one of the two honest members and wants a slot. Rotating: it takes a valid ' +
        'ticket, and the other ' +
        'one has a valid one with (m - 1)/(n - 1), so the guess “the slot is the coordinator’s” wins with ' +
        '1 - (m - 1)/(2(n - 1)): where only one of the two tickets is a slot it is always right, elsewhere a coin. The proof’s “without loss of generality the leader is p_1” loses exactly this case.',
      'Lottery: the coordinator takes what the lap leaves over.',
    ]
    return { rows, pictures: [], notes }
  },
}

/** How often just one of the two tickets is a slot, and how often it is then the coordinator's. */
function priorRows(what: string, games: readonly Game[], rotating: boolean): readonly Row[] {
  const { members, slots } = games[0]!.view
  const guesses = guessesOf(coordinatorPrior, games)
  const told = guesses.filter(({ guess }) => guess !== undefined)
  const right = told.filter(({ guess, answer }) => guess === answer).length / told.length
  const lottery = (2 * slots * (members - slots)) / (members * (members - 1))
  const share = rotating ? 2 * rotatingRate(slots, members) - 1 : lottery
  const doubt = 1 - bonferroni(CONFIDENCE, 16)
  const near = (rate: number, trials: number) => winTolerance(rate, trials, doubt)
  const worth = rotating ? 1 : 0.5
  return [
    row(`${what}: one slot between the two`, told.length / games.length, share, near(share, games.length), 'of games'),
    row(`${what}: then it is the coordinator’s`, right, worth, near(worth, told.length), 'won'),
  ]
}

/** Where each is seen: as in src/papers/slots/errata.test.ts. */
const STORIES = [
  ['passes-unopened', 50],
  ['forgets-requests', 2],
  ['counts-from-one', 3],
  ['forwards-for-ever', 1],
  ['needs-dummy', 1],
  ['own-share-twice', 1],
] as const

export const errataRounds: Experiment = {
  name: 'errata-oma-rounds',
  title: 'Six slips of the pseudo-code, each found by a checker in a pinned run.',
  source: 'OMA figures 1 to 3; readings OMA 3 to 8',
  run({ progress }: RunOptions): Result {
    const notes: string[] = []
    const rows = STORIES.flatMap(([bug, seed], place) => {
      progress(place / STORIES.length, bug)
      const { says, erratum } = plantedErrata[bug]!
      const [first] = runOnce(ringScenario({ bug }), seed).violations
      const found = first?.what.includes(says) ?? false
      notes.push(`${erratum}, ${bug}, seed ${seed}: ${first?.what ?? 'nothing'}.`)
      return [row(`erratum ${erratum}, ${bug}: found (1 = yes)`, found ? 1 : 0, 1, 0)]
    })
    const sound = runOnce(ringScenario(), 50).violations.length
    rows.push(row('corrected, the run of seed 50: violations', sound, 0, 0))
    return { rows, pictures: [], notes }
  },
}
