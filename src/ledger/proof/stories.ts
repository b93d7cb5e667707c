// The smallest story for each rule of execution: books that stand for whole ledgers, certificates made by all their servers,
// and a last step that the rules as they must be refuse. Under its planted bug it is taken, and money is made, taken or lost.

import { fromHex } from '../../core/index.ts'
import { type Book, openBook } from '../book.ts'
import { type Checkpoint, firstHead, headHash, noteBytes, type Statement } from '../checkpoint.ts'
import { execute } from '../execute.ts'
import { type Descriptor, epochAt } from '../genesis.ts'
import { encodeDescriptor } from '../light.ts'
import { append, cutBack, inclusionProof, leafHash, newTree, rootOf, type Tree } from '../merkle.ts'
import type { Refusal } from '../refusal.ts'
import { type LedgerRules, ledgerRules } from '../rules.ts'
import { type EpochStep, type Evidence, signingBytes, type Transaction, writeTransaction } from '../transactions.ts'
import { type Actors, firstSalt, ideals, linked, makeLedger, nextEpoch, signed } from './actors.ts'

const SERVERS = ['server-1', 'server-2', 'server-3', 'server-4']

/** A whole ledger without its servers: leaves are taken or refused, and certified when somebody wants a proof. */
export class PlainLedger {
  readonly descriptor: Descriptor
  readonly book: Book
  readonly leaves: Uint8Array[] = []
  private readonly actors: Actors
  private readonly rules: LedgerRules
  private readonly tree: Tree = newTree()
  private head: Checkpoint

  constructor(actors: Actors, descriptor: Descriptor, rules: LedgerRules) {
    this.actors = actors
    this.rules = rules
    this.descriptor = descriptor
    this.book = openBook(descriptor)
    this.head = firstHead(actors.suite)
  }

  submit(leaf: Uint8Array): Refusal | undefined {
    const refused = execute(this.book, leaf, { suite: this.actors.suite, rules: this.rules })
    if (refused === undefined) this.append(leaf)
    return refused
  }

  /** Appends whatever it is: servers that all lie keep any log. */
  append(leaf: Uint8Array): void {
    this.leaves.push(leaf)
    append(this.tree, leafHash(leaf))
  }

  /** Submits, and fails where it is refused: what leads up to the story. */
  must(leaf: Uint8Array): number {
    const refused = this.submit(leaf)
    if (refused !== undefined) throw new Error(`the story does not get there: ${refused.why}`)
    return this.leaves.length - 1
  }

  /** A certificate by all servers, or by those that lie. */
  certify(signers: readonly number[] = this.descriptor.genesis.servers.map((_, place) => place)): Checkpoint {
    const { actors } = this
    const { descriptor } = this.book
    const statement: Statement = {
      height: this.head.height + 1,
      size: this.tree.size,
      root: rootOf(this.tree),
      previous: headHash(descriptor, this.head, actors.suite),
      attempt: 1,
      proposal: new Uint8Array(32),
    }
    const message = noteBytes(descriptor, statement)
    const votes = signers.map(place => {
      const { name, salt } = epochAt(descriptor, statement.size).servers[place]!
      return { server: place, signature: actors.voter(name)(salt).sign(message) }
    })
    return { ...statement, votes }
  }

  /** What shows others that its last leaf, an epoch, names new keepers. */
  step(): EpochStep {
    const index = this.tree.size - 1
    return { leaf: this.leaves[index]!, path: inclusionProof(this.tree, index), checkpoint: this.certify() }
  }

  /** Evidence for a leaf; for one that was never appended too, as servers that all lie make it. */
  proof(index: number, forged?: Uint8Array, signers?: readonly number[]): Evidence {
    const before = this.tree.size
    if (forged !== undefined) append(this.tree, leafHash(forged))
    const at = forged === undefined ? index : before
    const checkpoint = this.certify(signers)
    const path = inclusionProof(this.tree, at, this.tree.size)
    const leaf = forged ?? this.leaves[index]!
    cutBack(this.tree, before)
    return { kind: 'proof', ledger: this.descriptor.id, leaf, index: at, path, checkpoint }
  }
}

/** Three linked ledgers with the same owners. */
export class Stage {
  readonly actors: Actors
  readonly a: PlainLedger
  readonly b: PlainLedger
  readonly c: PlainLedger
  private readonly sequences = new Map<string, number>()

  readonly rules: LedgerRules

  constructor(rules: LedgerRules = ledgerRules, actors: Actors = ideals()) {
    this.rules = rules
    this.actors = actors
    const make = (name: string) => {
      const made = { name, servers: SERVERS, crashes: 1, liars: 0, balances: { alice: 100n, bob: 100n } }
      return new PlainLedger(this.actors, makeLedger(this.actors, made), rules)
    }
    ;[this.a, this.b, this.c] = [make('a'), make('b'), make('c')]
    for (const one of [this.a, this.b, this.c]) {
      for (const other of [this.a, this.b, this.c]) if (one !== other) one.must(this.link(one, other, 0))
    }
  }

  link(one: PlainLedger, other: PlainLedger, number: number, cap = 50n): Uint8Array {
    return linked(this.actors, one.descriptor, {
      number,
      peer: encodeDescriptor(other.descriptor),
      cap,
      rate: 0n,
      window: 0,
    })
  }

  spending(
    ledger: PlainLedger,
    owner: string,
    amount: bigint,
    change: { asset?: Uint8Array; to?: string; step?: number } = {},
  ) {
    const name = `${owner} ${ledger.descriptor.hex}`
    const next = this.sequences.get(name) ?? 0
    const { asset = ledger.descriptor.id, to = 'bob', step = 0 } = change
    const sequence = next + step
    this.sequences.set(name, sequence + 1)
    return { register: 0, sequence, asset, to: this.actors.signer(to).publicKey, amount, until: 1_000 }
  }

  pay(ledger: PlainLedger, owner: string, amount: bigint, change = {}): Uint8Array {
    return signed(this.actors, ledger.descriptor, owner, {
      kind: 'transfer',
      ...this.spending(ledger, owner, amount, change),
      memo: '',
    })
  }

  burn(
    from: PlainLedger,
    into: PlainLedger,
    amount: bigint,
    change: { asset?: Uint8Array; to?: string; expires?: number } = {},
  ): Uint8Array {
    const spending = this.spending(from, 'alice', amount, change)
    const { expires = 0 } = change
    return signed(this.actors, from.descriptor, 'alice', {
      kind: 'burn',
      ...spending,
      peer: into.descriptor.id,
      expires,
    })
  }

  mint(evidence: Evidence): Uint8Array {
    return writeTransaction({ kind: 'mint', register: 0, evidence })
  }

  refund(evidence: Evidence): Uint8Array {
    return writeTransaction({ kind: 'refund', register: 0, evidence })
  }

  voiding(at: PlainLedger, evidence: Evidence, owner = 'alice'): Uint8Array {
    const unsigned: Transaction = { kind: 'void', register: 0, evidence, signature: new Uint8Array(0) }
    const id = fromHex(at.descriptor.registerIds[0]!)!
    return writeTransaction({ ...unsigned, signature: this.actors.signer(owner).sign(signingBytes(id, unsigned)) })
  }

  /** The same servers with other keys, or with those of the genesis. */
  epoch(ledger: PlainLedger, life: string, pledged = true): Uint8Array {
    const servers = ledger.descriptor.genesis.servers.map(({ name, salt: first }) => {
      const salt = life === '' ? first : firstSalt(`${name} ${life}`)
      return { name, salt, key: this.actors.voter(name)(salt).publicKey }
    })
    const next = nextEpoch(this.actors, ledger.book.descriptor, { servers, crashes: 1, liars: 0 })
    const message = signingBytes(ledger.descriptor.id, next)
    const pledges = servers.map(({ name, salt }, server) => ({
      server,
      signature: this.actors.voter(name)(salt).sign(message),
    }))
    return writeTransaction({ ...next, pledges: pledged ? pledges : [] })
  }

  follow(ledger: PlainLedger): Uint8Array {
    return writeTransaction({ kind: 'follow', ledger: ledger.descriptor.id, ...ledger.step() })
  }

  freeze(at: PlainLedger, other: PlainLedger): Uint8Array {
    const one = other.certify()
    const fork = new PlainLedger(this.actors, other.descriptor, ledgerRules)
    fork.must(this.link(other, at, 0))
    const two = fork.certify()
    const root = one.size === two.size ? two.root : one.root
    return writeTransaction({ kind: 'freeze', ledger: other.descriptor.id, one, other: two, root, path: [] })
  }
}

/** The story of each planted bug: what the rules refuse, with the code of the refusal. */
export const stories: Readonly<Record<string, { readonly code: string; play(stage: Stage): Refusal | undefined }>> = {
  'no-spent-set': {
    code: 'spent',
    play(stage) {
      const { a, b } = stage
      const index = a.must(stage.burn(a, b, 10n))
      b.must(stage.mint(a.proof(index)))
      a.must(stage.pay(a, 'bob', 1n))
      return b.submit(stage.mint(a.proof(index)))
    },
  },
  // The other way round: by the rules both of two equal burns are minted.
  'spent-by-sender-and-amount': {
    code: '',
    play(stage) {
      const { a, b } = stage
      const [first, second] = [a.must(stage.burn(a, b, 10n)), a.must(stage.burn(a, b, 10n))]
      b.must(stage.mint(a.proof(first)))
      return b.submit(stage.mint(a.proof(second)))
    },
  },
  'minted-for-another': {
    code: 'elsewhere',
    play(stage) {
      const { a, b, c } = stage
      const index = a.must(stage.burn(a, b, 10n))
      b.must(stage.mint(a.proof(index)))
      return c.submit(stage.mint(a.proof(index)))
    },
  },
  'minted-as-own': {
    code: 'balance',
    play(stage) {
      const { a, b } = stage
      b.must(stage.mint(a.proof(a.must(stage.burn(a, b, 10n, { to: 'carol' })))))
      return b.submit(stage.pay(b, 'carol', 10n))
    },
  },
  'refund-without-its-void': {
    code: 'elsewhere',
    play(stage) {
      const { a, b, c } = stage
      const index = a.must(stage.burn(a, b, 10n))
      b.must(stage.mint(a.proof(index)))
      // C, kept by friends of the burner, certifies a void of what it could not have minted.
      const voided = c.proof(0, stage.voiding(c, a.proof(index)))
      return a.submit(stage.refund(voided))
    },
  },
  'refund-twice': {
    code: 'refunded',
    play(stage) {
      const { a, b } = stage
      const index = a.must(stage.burn(a, b, 10n))
      a.must(stage.burn(a, b, 10n))
      const at = b.must(stage.voiding(b, a.proof(index)))
      a.must(stage.refund(b.proof(at)))
      b.must(stage.pay(b, 'bob', 1n))
      return a.submit(stage.refund(b.proof(at)))
    },
  },
  'sequence-with-gaps': {
    code: 'sequence ahead',
    play: stage => stage.a.submit(stage.pay(stage.a, 'alice', 1n, { step: 3 })),
  },
  'sequence-again': {
    code: 'sequence used',
    play(stage) {
      stage.a.must(stage.pay(stage.a, 'alice', 1n))
      return stage.a.submit(stage.pay(stage.a, 'alice', 2n, { step: -1 }))
    },
  },
  'spends-more-than-it-has': {
    code: 'balance',
    play: stage => stage.a.submit(stage.pay(stage.a, 'alice', 101n)),
  },
  'signature-for-any-ledger': {
    code: 'unsigned',
    play(stage) {
      // Signed for a ledger whose id is all zeros: by the bug it holds for every ledger.
      const zero = { ...stage.a.descriptor, registerIds: ['00'.repeat(32)] }
      const leaf = signed(stage.actors, zero, 'alice', {
        kind: 'transfer',
        ...stage.spending(stage.a, 'alice', 1n),
        memo: '',
      })
      return stage.a.submit(leaf)
    },
  },
  'signatures-unchecked': {
    code: 'unsigned',
    play(stage) {
      const leaf = stage.pay(stage.a, 'alice', 1n)
      leaf[leaf.length - 1]! ^= 1
      return stage.a.submit(leaf)
    },
  },
  'key-of-small-order': {
    code: 'key',
    play(stage) {
      const { suite } = stage.actors
      const weak = stage.actors.signer('weak').publicKey
      const strict = { ...suite, isKey: (key: Uint8Array) => !key.every((byte, at) => byte === weak[at]) }
      const leaf = stage.pay(stage.a, 'alice', 1n, { to: 'weak' })
      return execute(stage.a.book, leaf, { suite: strict, rules: stage.rules })
    },
  },
  'firewall-off': {
    code: 'outstanding',
    play(stage) {
      const { a, b } = stage
      a.must(stage.burn(a, b, 10n))
      // B certifies a burn of 20 of A's coins, of which 10 ever went there.
      return a.submit(stage.mint(b.proof(0, stage.burn(b, a, 20n, { asset: a.descriptor.id }))))
    },
  },
  'cap-off': {
    code: 'cap',
    play: stage => stage.b.submit(stage.mint(stage.a.proof(stage.a.must(stage.burn(stage.a, stage.b, 51n))))),
  },
  'frozen-link-used': {
    code: 'frozen',
    play(stage) {
      const { a, b } = stage
      const index = a.must(stage.burn(a, b, 10n))
      const evidence = a.proof(index)
      b.must(stage.freeze(b, a))
      return b.submit(stage.mint(evidence))
    },
  },
  'old-link-again': {
    code: 'number',
    play(stage) {
      const { a, b } = stage
      b.must(stage.link(b, a, 1, 1n))
      return b.submit(stage.link(b, a, 0))
    },
  },
  'own-burned-others-released': {
    code: 'asset',
    play(stage) {
      const { a, b, c } = stage
      // B's own coins, worth nothing, burned to A under the name of C's.
      b.must(stage.mint(c.proof(c.must(stage.burn(c, b, 10n, { to: 'alice' })))))
      return b.submit(stage.burn(b, a, 10n, { asset: c.descriptor.id }))
    },
  },
  'old-epoch-taken': {
    code: 'epoch',
    play(stage) {
      const { a, b } = stage
      a.must(stage.epoch(a, 'second'))
      b.must(stage.follow(a))
      // The keys of before were sold: they show a burn in a history that never was.
      const forged = new PlainLedger(stage.actors, a.descriptor, ledgerRules)
      return b.submit(stage.mint(forged.proof(0, stage.burn(a, b, 10n))))
    },
  },
  'old-epoch-again': {
    code: 'epoch',
    play(stage) {
      const { a } = stage
      const second = stage.epoch(a, 'second')
      a.must(second)
      a.must(stage.epoch(a, ''))
      return a.submit(second)
    },
  },
  'unpledged-epoch': {
    code: 'unsigned',
    play: stage => stage.a.submit(stage.epoch(stage.a, 'second', false)),
  },
}
