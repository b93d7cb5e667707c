// What the coordinator learns in the release phase (OMA §4.2, §5.5): with figure 7 how many hold a slot, with the
// secure OR only whether anybody does. A coalition of one is enough: "if the round leader belongs to C, it will
// figure out the number".

import { seededRandom } from '../../src/core/index.ts'
import { type Ciphertext, insecureSmallGroup, removeLayer } from '../../src/crypto/index.ts'
import type { Flaws } from '../../src/papers/slots/index.ts'
import type { RingState } from '../../src/slots/ring/index.ts'
import { type Experiment, type Result, type RunOptions, row } from '../experiment.ts'
import { winTolerance } from './rates.ts'
import { makeRing } from './ring.ts'

const MEMBERS = 4
/** One of the others to all of them hold, with equal chance. */
const OTHERS = MEMBERS - 1
const RUNS = { small: 60, full: 4_000 }
const DOUBT = 0.001
const GROUP = insecureSmallGroup()
/** Long enough for the first lap; a member that has a slot keeps it. */
const FIRST_LAP = 19_000

/** One round; the coordinator, who wants nothing, guesses how many of the others hold. */
function guessesRight(seed: number, level: 'curious' | 'strong', flaws: Partial<Flaws>): boolean {
  const random = seededRandom(seed, 0x50)
  const holders = 1 + random.below(OTHERS)
  const settings = { slots: MEMBERS, level, fairness: 'lottery' } as const
  const ring = makeRing({ members: MEMBERS, settings, flaws, group: GROUP, seed })
  let seen: readonly Ciphertext[] = []
  ring.onSent = (from, body) => {
    if (from === ring.members.at(-1) && body.kind === 'release') seen = body.entries
  }
  for (const id of ring.members.slice(1, 1 + holders)) ring.world.command(id, { kind: 'request', id: 1 })
  ring.world.run(FIRST_LAP)
  const { secret } = ring.world.node(ring.members[0]!).host!.state as RingState
  const contents = seen.map(entry => removeLayer(GROUP, secret!, entry).c2)
  const guess = level === 'curious' ? counted(contents) : summed(contents[0])
  return (guess ?? 1 + random.below(OTHERS)) === holders
}

/** Figure 7: one entry for each member, G if it is free. */
function counted(contents: readonly Uint8Array[]): number {
  return contents.filter(content => !GROUP.equal(content, GROUP.generator)).length
}

/** The OR: a sum that would be as many times G, if holders did not each put in a number of their own. */
function summed(content: Uint8Array | undefined): number | undefined {
  for (let holders = 1; holders <= OTHERS && content !== undefined; holders++) {
    if (GROUP.equal(content, GROUP.multiplyBase(GROUP.scalar(BigInt(holders))))) return holders
  }
  return undefined
}

export const strongOr: Experiment = {
  name: 'strong-or',
  title: 'How many hold a slot: the coordinator knows at level curious, and does not at level strong.',
  source: 'OMA §4.2; §5.5, adapting the algorithm to satisfy SO-mA',
  run({ scale, seed, progress }: RunOptions): Result {
    const runs = RUNS[scale]
    const rate = (level: 'curious' | 'strong', flaws: Partial<Flaws> = {}) => {
      let right = 0
      for (let run = 0; run < runs; run++) {
        progress(run / runs, level)
        if (guessesRight(seed * 100_000 + run, level, flaws)) right++
      }
      return right / runs
    }
    const coin = 1 / OTHERS
    const rows = [
      row('curious: told right', rate('curious'), 1, 0),
      row('strong: told right', rate('strong'), coin, winTolerance(coin, runs, DOUBT)),
      row('strong, all holders put in the same number: told right', rate('strong', { countsHolders: true }), 1, 0),
    ]
    const notes = [
      `n = ${MEMBERS}, as many slots, the coordinator wants none, one to ${OTHERS} of the others hold. The first lap ` +
        'of the ' +
        'release token, read by the coordinator.',
      'The bit that remains, “somebody holds”, is what ends a round; with a single other member that could ' +
        'hold it says all.',
    ]
    return { rows, pictures: [], notes }
  },
}
