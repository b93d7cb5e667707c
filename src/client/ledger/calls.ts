// Promises over the ledger part of a client node: one call, one command, one event.

import { because, type NodeId, SettingsError, type Trust, Unavailable } from '../../core/index.ts'
import {
  type Answer,
  type Checkpoint,
  type CountedVote,
  type Descriptor,
  describeGenesis,
  encodeDescriptor,
  type Genesis,
  isFinal,
  type LedgerCommand,
  type LedgerEvent,
  type LedgerReceipt,
  ledgerServersNeeded,
  NotProven,
  type Offer,
  type Question,
  readDescriptor,
  readTransaction,
} from '../../ledger/index.ts'
import { ledgerCryptoOf } from '../../runtime/ledger.ts'
import { onWaitEnd, type WaitEnd, type WaitOptions } from '../waiting.ts'
import { LedgerRefused, LedgerUnanswered } from './errors.ts'

interface Waiting {
  take(event: LedgerEvent): void
  reject(error: Error): void
}

type Call = Exclude<LedgerCommand, { kind: 'open' | 'cancel' }>
type WithoutId<C> = C extends Call ? Omit<C, 'id'> : never

/** A page of a log as a server gave it. */
export type Page = Extract<LedgerEvent, { kind: 'page' }>

export class LedgerCalls {
  private readonly command: (body: LedgerCommand) => void
  private readonly newId: () => number
  private readonly trust: Trust
  private readonly waiting = new Map<number, Waiting>()
  private readonly known = new Map<string, Descriptor>()
  private broken: Error | undefined

  constructor(command: (body: LedgerCommand) => void, newId: () => number, trust: Trust) {
    this.command = command
    this.newId = newId
    this.trust = trust
  }

  /** Refuses what can never work, before anything is sent. */
  check(): void {
    const { servers, liars, crashes } = this.trust
    const needed = ledgerServersNeeded(liars, crashes)
    if (servers < needed) {
      throw new SettingsError(
        `this group has ${servers} servers, and a ledger takes ${needed} with liars: ${liars} and crashes: ${crashes} ` +
          `(3 × ${crashes} + 2 × ${liars} + 1). Make a group of ${needed}, or expect fewer faults.`,
      )
    }
  }

  /** Voting keys of all servers; or of those, of whom so many must answer and the others are waited for a while. */
  async offers(
    name: string,
    options: WaitOptions,
    asked: { readonly of?: readonly NodeId[]; readonly needed?: number } = {},
  ): Promise<readonly Offer[]> {
    const event = await this.ask({ kind: 'offers', ...asked }, name, options)
    return (event as LedgerEvent & { kind: 'offers' }).offers
  }

  /** What each server that answers says of the others. */
  async caught(options: WaitOptions) {
    const event = await this.ask({ kind: 'caught' }, '', options)
    return (event as LedgerEvent & { kind: 'caught' }).told
  }

  async create(genesis: Genesis, options: WaitOptions): Promise<Descriptor> {
    const descriptor = describeGenesis(genesis, ledgerCryptoOf())
    const encoded = encodeDescriptor(descriptor)
    const event = (await this.ask({ kind: 'create', genesis: encoded }, genesis.name, options)) as LedgerEvent & {
      kind: 'created'
    }
    if (!event.ok) {
      const said = Object.entries(event.answers).map(([server, why]) => `${server}: ${why.replace(/\.$/, '')}`)
      throw new SettingsError(`ledger '${genesis.name}' was not opened. ${said.join('; ')}.`)
    }
    this.open(descriptor)
    return descriptor
  }

  /** Tells the node below which ledger a later call is about. */
  open(descriptor: Descriptor): void {
    this.command({ kind: 'open', genesis: encodeDescriptor(descriptor) })
  }

  async find(name: string, options: WaitOptions): Promise<Descriptor | undefined> {
    const event = (await this.ask({ kind: 'find', name }, name, options)) as LedgerEvent & { kind: 'found' }
    if (event.genesis === undefined) return undefined
    const descriptor = readDescriptor(event.genesis, ledgerCryptoOf())
    if (typeof descriptor === 'string') throw new SettingsError(descriptor)
    this.open(descriptor)
    return descriptor
  }

  /** Resolves when the leaf is certified. The same bytes, handed in again, are appended once. */
  async submit(descriptor: Descriptor, leaf: Uint8Array, options: WaitOptions): Promise<LedgerReceipt> {
    const { hex, genesis } = descriptor
    const event = await this.ask({ kind: 'submit', ledger: hex, leaf }, genesis.name, options, leaf)
    return (event as LedgerEvent & { kind: 'receipt' }).receipt
  }

  /** Of the next keepers that a signed epoch names. */
  async pledges({ hex, genesis }: Descriptor, leaf: Uint8Array, options: WaitOptions): Promise<readonly CountedVote[]> {
    const event = await this.ask({ kind: 'pledge', ledger: hex, leaf }, genesis.name, options)
    return (event as LedgerEvent & { kind: 'pledged' }).pledges
  }

  /** The descriptor with all keepers that this process was shown. */
  newest(descriptor: Descriptor): Descriptor {
    const known = this.known.get(descriptor.hex)
    return known !== undefined && known.epochs.length > descriptor.epochs.length ? known : descriptor
  }

  async prove(descriptor: Descriptor, index: number, options: WaitOptions): Promise<LedgerReceipt> {
    const event = await this.ask({ kind: 'prove', ledger: descriptor.hex, index }, descriptor.genesis.name, options)
    return (event as LedgerEvent & { kind: 'receipt' }).receipt
  }

  async question<K extends Answer['kind']>(
    { hex, genesis }: Descriptor,
    question: Extract<Question, { kind: K }>,
    options: WaitOptions,
  ): Promise<{ readonly answer: Extract<Answer, { kind: K }>; readonly checkpoint: Checkpoint }> {
    const event = await this.ask({ kind: 'ask', ledger: hex, question: question as Question }, genesis.name, options)
    const { answer, checkpoint } = event as LedgerEvent & { kind: 'answer' }
    return { answer: answer as Extract<Answer, { kind: K }>, checkpoint }
  }

  async compare({ hex, genesis }: Descriptor, first: number, root: Uint8Array, options: WaitOptions) {
    const event = await this.ask({ kind: 'compare', ledger: hex, first, root }, genesis.name, options)
    if (event.kind === 'forked') {
      throw new NotProven(
        `ledger '${genesis.name}' shows a history that is not the one of ${first} leaves that you hold: keep both checkpoints, they are evidence.`,
      )
    }
    return event as LedgerEvent & { kind: 'compared' }
  }

  async page({ hex, genesis }: Descriptor, from: number, options: WaitOptions): Promise<Page> {
    return (await this.ask({ kind: 'page', ledger: hex, from }, genesis.name, options)) as Page
  }

  event(event: LedgerEvent): void {
    if (event.kind === 'epoch') this.known.set(event.ledger, event.descriptor)
    else this.waiting.get(event.id)?.take(event)
  }

  ended(error: Error): void {
    this.broken = error
    for (const one of [...this.waiting.values()]) one.reject(error)
    this.waiting.clear()
  }

  private ask(call: WithoutId<Call>, name: string, options: WaitOptions, leaf?: Uint8Array): Promise<LedgerEvent> {
    return new Promise((resolve, reject) => {
      this.check()
      if (this.broken !== undefined) throw new Unavailable(this.broken.message)
      const { signal } = options
      // Before anything left this process: certain, with a transaction too.
      if (signal?.aborted) throw because(new LedgerUnanswered(name, 'the signal had fired.'), signal.reason)
      const id = this.newId()
      const end = (error?: Error) => {
        stop()
        this.waiting.delete(id)
        if (error !== undefined) reject(error)
      }
      let stop = () => {}
      this.waiting.set(id, {
        take: event => {
          end()
          const failure = whyFailed(name, event, leaf)
          if (failure === undefined) resolve(event)
          else reject(failure)
        },
        reject: end,
      })
      stop = onWaitEnd(options, (why, cause) => {
        this.command({ kind: 'cancel', id })
        end(because(new LedgerUnanswered(name, waited(why), leaf), cause))
      })
      this.command({ ...call, id } as LedgerCommand)
    })
  }
}

function waited(why: WaitEnd): string {
  return why === 'timeout' ? 'the time is up. Check that enough servers run (coterie status).' : 'the signal fired.'
}

function whyFailed(name: string, event: LedgerEvent, leaf: Uint8Array | undefined): Error | undefined {
  switch (event.kind) {
    case 'refused': {
      const read = leaf && readTransaction(leaf)
      const kind = read?.ok ? read.value.kind : undefined
      return new LedgerRefused(name, event.code, event.why, { size: event.size, final: isFinal(event), kind })
    }
    case 'unknown':
      return new SettingsError(`the servers know no ledger '${name}' of that id.`)
    case 'crowded':
      return new LedgerUnanswered(name, 'too many calls of this process are under way: nothing was sent.')
    default:
      return undefined
  }
}

/** The server names of a group, in the order in which a genesis has them. */
export function votersOf(
  offers: readonly Offer[],
): { readonly name: NodeId; readonly key: Uint8Array; readonly salt: Uint8Array }[] {
  return offers.map(({ server, key, salt }) => ({ name: server, key, salt }))
}
