// Random walks of transactions on three linked ledgers, honest ones and such as a thief would hand in: spent again, signed for
// another ledger, minted elsewhere, certified by a group that lies as a whole. Beside each ledger stands its log replayed by the
// rules as they must be. Where the two differ in what they take, a rule is broken; what the walk can do without is left out.

import type { Random } from '../../core/index.ts'
import { seededRandom, toHex } from '../../core/index.ts'
import { pick, reduceItems } from '../../simulator/index.ts'
import { type Book, openBook, whyUnbalanced } from '../book.ts'
import { execute } from '../execute.ts'
import { type LedgerRules, ledgerRules } from '../rules.ts'
import { ideals, signed } from './actors.ts'
import { PlainLedger, Stage } from './stories.ts'

/** One step of a walk. Ledgers and earlier leaves are named by number, and wrap around: what is left out moves no limits. */
export interface WalkAct {
  readonly kind: (typeof KINDS)[number]
  /** Where it is handed in. */
  readonly at: number
  /** The other ledger that it is about. */
  readonly of: number
  readonly nth: number
  readonly owner: string
  readonly to: string
  readonly amount: bigint
  /** Added to the sequence that is next. */
  readonly step: number
  /** Whose coins. */
  readonly asset: number
}

const KINDS = [
  'pay',
  'pay signed for no ledger',
  'pay with a signature spoiled',
  'burn',
  'mint',
  'mint of a forged burn',
  'mint by the keys of before',
  'void',
  'refund',
  'refund by a forged void',
  'freeze',
  'link again',
  'epoch',
  'epoch without pledges',
  'epoch again',
  'follow',
] as const
/** How often each is drawn: what others rest on more often. */
const WEIGHTS = [4, 1, 1, 7, 5, 1, 1, 4, 8, 1, 1, 1, 1, 1, 1, 3]
const drawnKinds = KINDS.flatMap((kind, place) => Array.from({ length: WEIGHTS[place]! }, () => kind))

/** Steps of one walk. */
const STEPS = 60
const OWNERS = ['alice', 'bob', 'carol'] as const
/** A key that nobody may use. */
const WEAK = 'weak'

/** What went wrong in a walk, and after how many steps. */
export interface WalkFailure {
  readonly seed: number
  readonly why: string
  /** What the walk cannot do without. */
  readonly acts: readonly WalkAct[]
}

function draw(random: Random): WalkAct {
  const at = random.below(3)
  return {
    kind: pick(random, drawnKinds),
    at,
    of: (at + 1 + random.below(2)) % 3,
    nth: random.below(8),
    owner: pick(random, OWNERS),
    to: pick(random, [...OWNERS, ...OWNERS, WEAK]),
    amount: pick(random, [1n, 1n, 10n, 10n, 10n, 60n, 101n]),
    step: pick(random, [0, 0, 0, 0, 0, 0, -1, 2]),
    asset: pick(random, [at, at, random.below(3)]),
  }
}

/** The acts of a seed. */
export function walkOf(seed: number): readonly WalkAct[] {
  const random = seededRandom(seed, 0x3a1c)
  return Array.from({ length: STEPS }, () => draw(random))
}

interface Shadowed {
  readonly ledger: PlainLedger
  readonly right: Book
  readonly burns: { readonly index: number; readonly owner: string }[]
  readonly voids: number[]
  readonly epochs: Uint8Array[]
}

class Walk {
  private readonly stage: Stage
  private readonly all: readonly Shadowed[]
  /** Whether the last step was taken. */
  took = false

  constructor(rules: LedgerRules) {
    const actors = ideals()
    const weak = toHex(actors.signer(WEAK).publicKey)
    const suite = { ...actors.suite, isKey: (key: Uint8Array) => toHex(key) !== weak }
    this.stage = new Stage(rules, { ...actors, suite })
    const { a, b, c } = this.stage
    this.all = [a, b, c].map(ledger => {
      const right = openBook(ledger.descriptor)
      for (const leaf of ledger.leaves) execute(right, leaf, { suite, rules: ledgerRules })
      return { ledger, right, burns: [], voids: [], epochs: [] }
    })
  }

  /** What is wrong after the act; nothing where all is well. */
  step(act: WalkAct): string | undefined {
    const leaf = this.leafOf(act)
    this.took = false
    if (leaf === undefined) return undefined
    const here = this.all[act.at]!
    const refused = here.ledger.submit(leaf)
    const rightly = execute(here.right, leaf, { suite: this.stage.actors.suite, rules: ledgerRules })
    if (refused === undefined && rightly !== undefined) return `taken, and to be refused: ${rightly.code}`
    if (refused !== undefined && rightly === undefined) return `refused, and to be taken: ${refused.code}`
    this.took = refused === undefined
    if (this.took) this.note(act, here, leaf)
    return whyUnbalanced(here.right)
  }

  private note({ kind, owner }: WalkAct, here: Shadowed, leaf: Uint8Array): void {
    const index = here.ledger.leaves.length - 1
    if (kind === 'burn') here.burns.push({ index, owner })
    if (kind === 'void') here.voids.push(index)
    if (kind === 'epoch') here.epochs.push(leaf)
  }

  private leafOf(act: WalkAct): Uint8Array | undefined {
    const { stage } = this
    const [here, there] = [this.all[act.at]!, this.all[act.of]!]
    const { nth, kind } = act
    const burn = there.burns.length === 0 ? undefined : there.burns[nth % there.burns.length]
    switch (kind) {
      case 'pay':
      case 'pay signed for no ledger':
      case 'pay with a signature spoiled':
        return this.pay(act)
      case 'burn':
        return this.burn(act)
      case 'mint':
        return burn && stage.mint(there.ledger.proof(burn.index))
      case 'mint of a forged burn':
        return stage.mint(there.ledger.proof(0, this.burn({ ...act, at: act.of, of: act.at, step: 0 })))
      case 'mint by the keys of before':
        return stage.mint(this.before(there).proof(0, this.burn({ ...act, at: act.of, of: act.at, step: 0 })))
      case 'void':
        return burn && stage.voiding(here.ledger, there.ledger.proof(burn.index), burn.owner)
      case 'refund': {
        const at = there.voids.length === 0 ? undefined : there.voids[nth % there.voids.length]
        return at === undefined ? undefined : stage.refund(there.ledger.proof(at))
      }
      case 'refund by a forged void': {
        const own = here.burns[nth % Math.max(1, here.burns.length)]
        if (own === undefined) return undefined
        return stage.refund(there.ledger.proof(0, stage.voiding(there.ledger, here.ledger.proof(own.index), own.owner)))
      }
      default:
        return this.governing(act, here, there)
    }
  }

  private governing({ kind, nth }: WalkAct, here: Shadowed, there: Shadowed): Uint8Array | undefined {
    const { stage } = this
    switch (kind) {
      case 'freeze':
        return stage.freeze(here.ledger, this.before(there))
      case 'link again':
        return stage.link(here.ledger, there.ledger, nth % 3)
      case 'epoch':
        return stage.epoch(here.ledger, nth % 2 === 0 ? '' : `life ${nth}`)
      case 'epoch without pledges':
        return stage.epoch(here.ledger, `life ${nth}`, false)
      case 'epoch again':
        return here.epochs[nth % Math.max(1, here.epochs.length)]
      case 'follow':
        return isEpoch(there) ? stage.follow(there.ledger) : undefined
      default:
        return undefined
    }
  }

  /** The ledger as its first keepers could show it to somebody: with no leaf but links. */
  private before({ ledger }: Shadowed): PlainLedger {
    const other = new PlainLedger(this.stage.actors, ledger.descriptor, ledgerRules)
    for (const leaf of ledger.leaves.slice(0, 2)) other.append(leaf)
    return other
  }

  private spending({ at, owner, to, amount, step, asset }: WalkAct) {
    const { actors } = this.stage
    const { book } = this.all[at]!.ledger
    const next = book.registers[0]!.accounts.get(toHex(actors.signer(owner).publicKey))?.next ?? 0
    return {
      register: 0,
      sequence: Math.max(0, next + step),
      asset: this.all[asset]!.ledger.descriptor.id,
      to: actors.signer(to).publicKey,
      amount,
      until: 1_000,
    }
  }

  private pay(act: WalkAct): Uint8Array {
    const { descriptor } = this.all[act.at]!.ledger
    const signedFor =
      act.kind === 'pay signed for no ledger' ? { ...descriptor, registerIds: ['00'.repeat(32)] } : descriptor
    const leaf = signed(this.stage.actors, signedFor, act.owner, { kind: 'transfer', ...this.spending(act), memo: '' })
    if (act.kind === 'pay with a signature spoiled') leaf[leaf.length - 1]! ^= 1
    return leaf
  }

  private burn(act: WalkAct): Uint8Array {
    const peer = this.all[act.of]!.ledger.descriptor.id
    const { descriptor } = this.all[act.at]!.ledger
    return signed(this.stage.actors, descriptor, act.owner, { kind: 'burn', ...this.spending(act), peer, expires: 0 })
  }
}

/** Its last leaf names keepers: only then is there a step to show. */
function isEpoch({ ledger, epochs }: Shadowed): boolean {
  return epochs.length > 0 && ledger.leaves.at(-1) === epochs.at(-1)
}

/** What is wrong with these acts under these rules; nothing where all is well. Counts what is taken, by kind. */
export function whyWalkFails(
  acts: readonly WalkAct[],
  rules: LedgerRules,
  taken?: Map<string, number>,
): string | undefined {
  const walk = new Walk(rules)
  for (const act of acts) {
    const wrong = walk.step(act)
    if (wrong !== undefined) return wrong
    if (walk.took) taken?.set(act.kind, (taken.get(act.kind) ?? 0) + 1)
  }
  return undefined
}

/** The first seed whose walk goes wrong under these rules, and what of it is needed; nothing where none does. */
export function findWalk(rules: LedgerRules, seedsMax: number): WalkFailure | undefined {
  for (let seed = 1; seed <= seedsMax; seed++) {
    const acts = walkOf(seed)
    if (whyWalkFails(acts, rules) === undefined) continue
    const fails = (keep: readonly number[]) =>
      whyWalkFails(
        keep.map(place => acts[place]!),
        rules,
      ) !== undefined
    const kept = reduceItems([...acts.keys()], fails).map(place => acts[place]!)
    return { seed, why: whyWalkFails(kept, rules)!, acts: kept }
  }
  return undefined
}
