// What `caie` does not reach with two honest members and brief rounds: the release phase (OMA appendix A, lemma 9), the
// order of the tickets, and more than two honest members (lemma 7 there). Each is played as built, where adversaries have
// no clue or are right half of the time, and with weaknesses planted, which each must find.

import { insecureBareGroup } from '../../src/crypto/index.ts'
import type { Flaws } from '../../src/papers/slots/index.ts'
import { type Experiment, type Result, type Row, type RunOptions, row } from '../experiment.ts'
import { type Adversary, control, equalCiphertexts, ownShare } from './adversaries.ts'
import { lapDifferences, releaseCiphertexts, releaseOrder, ticketOrder } from './order-adversaries.ts'
import { type PrintedGame, playPrinted } from './printed-stage.ts'
import { MEMBERS, orderRate, releaseRate, SLOTS } from './rates.ts'
import { fairRow, guessesOf, LISTENERS, plantedRows, strata, wins } from './scoring.ts'
import type { Game } from './view.ts'

const SEEDS_MAX = 1_000_000
const GROUP = insecureBareGroup()
const settings = (slots: number) => ({ slots, level: 'curious', fairness: 'lottery' }) as const

interface Played {
  readonly game: PrintedGame
  readonly sessions: number
  readonly rounds: number
}

function play(
  { game, sessions, rounds }: Played,
  flaws: Partial<Flaws>,
  seed: number,
  tell: (fraction: number) => void = () => {},
): readonly Game[] {
  return Array.from({ length: sessions }, (_, session) => {
    tell(session / sessions)
    return playPrinted({ ...game, flaws }, seed * SEEDS_MAX + session, rounds)
  }).flat()
}

/** A weakness, who must find it, and how often it then wins, by stratum. */
interface Weakness {
  readonly what: string
  readonly flaws: Partial<Flaws>
  readonly adversary: Adversary
  readonly rates: readonly [among: number, not: number]
}

function weakRows(weakness: Weakness, played: Played, seed: number): readonly Row[] {
  return strata(play(played, weakness.flaws, seed)).flatMap(([stratum, games], place) => {
    if (games.length === 0) return []
    const rate = weakness.rates[place]!
    return plantedRows(`${weakness.what}, ${stratum}`, weakness.adversary, { played: games, rate })
  })
}

function builtRows(adversaries: readonly Adversary[], played: Played, seed: number): readonly Row[] {
  return strata(play(played, {}, seed)).flatMap(([stratum, games]) =>
    games.length === 0
      ? []
      : adversaries.map(adversary =>
          fairRow(`as built, ${stratum}: ${adversary.name}`, adversary, guessesOf(adversary, games)),
        ),
  )
}

const RELEASE: readonly Weakness[] = [
  {
    what: 'entries in their order',
    flaws: { releaseKeepsOrder: true },
    adversary: releaseOrder,
    // An honest coordinator reads the list alone.
    rates: [0.5, releaseRate()],
  },
  {
    what: 'entries not re-randomised',
    flaws: { releaseKeepsCiphertexts: true },
    adversary: releaseCiphertexts,
    rates: [0.5, releaseRate()],
  },
  {
    what: 'the same random numbers in every lap',
    flaws: { releaseRepeatsRandomness: true },
    adversary: lapDifferences,
    // It needs no key.
    rates: [releaseRate(), releaseRate()],
  },
]

export const caieRelease: Experiment = {
  name: 'caie-release',
  title: 'The release phase tells nothing about who has which ticket, and would with each of three weaknesses.',
  source: 'OMA appendix A, lemma 9; figure 7',
  run({ scale, seed, progress }: RunOptions): Result {
    const game = { group: GROUP, members: MEMBERS, settings: settings(SLOTS) }
    const played = (sessions: number) => ({ game, sessions, rounds: MEMBERS })
    const adversaries = [releaseOrder, releaseCiphertexts, lapDifferences]
    const rows = [...builtRows(adversaries, played(scale === 'small' ? 60 : 4_000), seed)]
    for (const [place, weakness] of RELEASE.entries()) {
      progress((1 + place) / 4, weakness.what)
      rows.push(...weakRows(weakness, played(scale === 'small' ? 15 : 1_000), seed))
    }
    const notes = [
      `n = ${MEMBERS}, m = ${SLOTS}, two honest members that keep their slots past the first lap. Where one of them has ` +
        'a slot and the other a dummy, who holds has the slot: three pairs of six, so who sees it wins 3 of 4.',
      'The paper omits this proof. Without figure 7’s shuffle a curious coordinator reads off who holds; without new ' +
        'randomness it follows first halves, which lose no layer; with the same randomness in each lap everybody on the ' +
        'wire sees whose entry changed by G.',
    ]
    return { rows, pictures: [], notes }
  },
}

/** One honest member right after the coordinator, one at the end of the ring, and all others between. */
const LONG = 8
/** The coordinator is not one of them: when it takes its ticket, neither of the two has one, or both do. */
const BETWEEN = LONG - 3

export const caieOrder: Experiment = {
  name: 'caie-order',
  title: 'Tickets are shuffled: left in their order, the places of the others’ tickets would tell.',
  source: 'OMA appendix A, lemma 8; figure 2, line 04; figure 6',
  run({ scale, seed, progress }: RunOptions): Result {
    const game = {
      group: GROUP,
      members: LONG,
      settings: settings(LONG - 1),
      brief: true,
      apart: [1, LONG - 1],
    } as const
    const played = { game, sessions: scale === 'small' ? 120 : 4_000, rounds: 1 }
    const rows = [...builtRows([ticketOrder], played, seed)]
    progress(0.5, 'no shuffle')
    const rate = orderRate(BETWEEN)
    const weakness = {
      what: 'no shuffle',
      flaws: { keepsOrder: true },
      adversary: ticketOrder,
      rates: [0.5, rate],
    } as const
    rows.push(...weakRows(weakness, played, seed))
    const notes = [
      `n = ${LONG}, a curious coordinator that knows the list, an honest member behind it and one at the end. Each of the ` +
        `${BETWEEN} between says by its place how many tickets before its own were taken. They tell unless the two ` +
        `tickets were side by side among theirs: in 1 - 2/${BETWEEN + 2} of the games.`,
      'Members also draw which ticket they take, so that a missing shuffle alone does not tell always.',
    ]
    return { rows, pictures: [], notes }
  },
}

const MANY: readonly Weakness[] = [
  {
    what: 'no re-randomisation',
    flaws: { keepsCiphertexts: true },
    adversary: equalCiphertexts,
    rates: [0.5, 1],
  },
  { what: 'asks itself', flaws: { asksItself: true }, adversary: ownShare, rates: [1, 1] },
]

/** Of the sessions of one size, those as built; the others have a weakness planted. */
const BUILT_SHARE = 2 / 3

export const caieMany: Experiment = {
  name: 'caie-many',
  title: 'More than two honest members: two assignments that differ in two tickets are not told apart.',
  source: 'OMA §4.1, lemma 7; appendix A, after lemma 8',
  run({ scale, seed, progress }: RunOptions): Result {
    const sizes = scale === 'small' ? [[5, 3]] : [[5, 3], [6, 4], [8, 5]] // biome-ignore format: pairs
    const rows: Row[] = []
    for (const [place, [members, honest]] of (sizes as [number, number][]).entries()) {
      progress(place / sizes.length, `n = ${members}, ${honest} honest`)
      const game = { group: GROUP, members, settings: settings(members - 1), honest }
      const played = (sessions: number) => ({ game, sessions, rounds: members })
      const what = `n = ${members}, ${honest} honest`
      const tell = (fraction: number) => progress((place + BUILT_SHARE * fraction) / sizes.length, what)
      const built = play(played(scale === 'small' ? 20 : 2_000), {}, seed, tell)
      for (const adversary of LISTENERS) {
        rows.push(fairRow(`${what}, as built: ${adversary.name}`, adversary, guessesOf(adversary, built)))
      }
      rows.push(row(`${what}: ${control.name}`, wins(guessesOf(control, built), seed), 1, 0, 'won'))
      for (const weakness of MANY) {
        const games = play(played(scale === 'small' ? 6 : 500), weakness.flaws, seed)
        for (const [stratum, few] of manyStrata(games)) {
          const rate = weakness.rates[stratum === 'list unknown' ? 0 : 1]!
          const named = `${what}, ${weakness.what}, ${stratum}`
          if (few.length > 0) rows.push(...plantedRows(named, weakness.adversary, { played: few, rate }))
        }
      }
    }
    const notes = [
      'k members are honest. The coalition is given two assignments, the true one and the one in which two of them have ' +
        'each other’s tickets; so it is told the tickets of the other k - 2, but not their keys or turns. It says which.',
    ]
    return { rows, pictures: [], notes }
  },
}

/** Whether the maker of the list is in the coalition. */
function manyStrata(games: readonly Game[]): readonly (readonly [string, readonly Game[]])[] {
  const unknown = ({ view }: Game) => view.firstList.includes(undefined)
  return [
    ['list unknown', games.filter(unknown)],
    ['list known', games.filter(game => !unknown(game))],
  ]
}
