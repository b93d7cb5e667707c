// What must hold on a secret channel, whatever the carriers do: what is handed over was published by that author on that
// channel, once in a life, in its time; what does not come is told; and nothing on the wire repeats.

import type { Checker, Micros, Violation } from '../../../simulator/index.ts'
import { lettersOf, type SecretMode } from '../../secret/keys.ts'
import type { Sealed } from '../../secret/sealed.ts'

/** An event as it was published. */
export interface Published {
  readonly author: string
  readonly channel: string
  readonly at: Micros
  epoch: number
}

/** One life of a reader, from when it had subscribed. */
export interface Listener {
  readonly channel: string
  readonly since: Micros
  readonly handed: Set<number>
  /** Author and epoch → how many were told to be missing. */
  readonly missed: Map<string, number>
  readonly unknown: Set<string>
  /** Epochs of which it was told that no other follows. */
  readonly ended: Set<number>
  /** Epochs that it took a record of, and when. */
  readonly epochs: Map<number, Micros>
}

/** What one author said in one epoch. */
export interface Saying {
  readonly author: string
  readonly epoch: number
  /** Only what was said since then. */
  readonly after: Micros
}

export class SecretChecker implements Checker {
  readonly name = 'secret'
  readonly published = new Map<number, Published>()
  private readonly broken: Violation[] = []
  private readonly nonces = new Map<string, string>()
  private readonly tags = new Map<string, string>()

  violations(): readonly Violation[] {
    return this.broken
  }

  private fail(what: string, at: Micros): void {
    this.broken.push({ what, at })
  }

  handed(
    reader: string,
    listener: Listener,
    event: { author: string; channel: string; number: number },
    at: Micros,
  ): void {
    const { author, channel, number } = event
    const said = this.published.get(number)
    if (said === undefined || said.author !== author || said.channel !== channel)
      return this.fail(`${reader} was handed what ${author} did not publish on ${channel}`, at)
    if (listener.handed.has(number)) return this.fail(`${reader} was handed event ${number} twice`, at)
    listener.handed.add(number)
  }

  /** An event of an epoch whose end and grace are over. */
  tooLate(reader: string, number: number, at: Micros): void {
    this.fail(`${reader} was handed event ${number} of an epoch that is over`, at)
  }

  /** What the carriers see of an honest writer. */
  sent(channel: string, mode: SecretMode, frame: Sealed, at: Micros): void {
    const sealed = lettersOf(frame.sealed)
    const nonce = `${channel} ${frame.epoch} ${lettersOf(frame.nonce)}`
    if ((this.nonces.get(nonce) ?? sealed) !== sealed) this.fail('two events were sealed under one nonce', at)
    this.nonces.set(nonce, sealed)
    const isName = mode === 'tagged' || mode === 'paired'
    const seen = frame.kind === 'event' ? frame.tags : [frame.point, ...frame.marks]
    for (const tag of seen) {
      const name = `${channel} ${lettersOf(tag)}`
      const use = isName ? String(frame.epoch) : sealed
      const twice = mode === 'peks' ? 'a mark came twice' : 'a counted tag came twice'
      if ((this.tags.get(name) ?? use) !== use) this.fail(isName ? 'a tag outlived its epoch' : twice, at)
      this.tags.set(name, use)
    }
  }

  /** What a matcher is given by a reader: of one epoch. */
  searched(
    channel: string,
    { reader, trapdoors }: { reader: Uint8Array; trapdoors: readonly Uint8Array[] },
    at: Micros,
  ) {
    for (const trapdoor of trapdoors) {
      const name = `${channel} ${lettersOf(trapdoor)}`
      const use = lettersOf(reader)
      if ((this.tags.get(name) ?? use) !== use) this.fail('a trapdoor outlived its epoch', at)
      this.tags.set(name, use)
    }
  }

  /** Somebody reads what is not for it. */
  overread(who: string, at: Micros): void {
    this.fail(`${who} could read what another writer says to a reader`, at)
  }

  /** A writer seals under an epoch that is over. */
  wroteTooLate(writer: string, at: Micros): void {
    this.fail(`${writer} sealed an event after the end of its epoch`, at)
  }

  /** A reader whose last record is over, and who was told nothing. */
  unended(reader: string, epoch: number, at: Micros): void {
    this.fail(`epoch ${epoch} ended without another, and ${reader} was told nothing`, at)
  }

  /** Everything that one author published in one epoch, to somebody who listened all the time: here, or told. */
  complete(reader: string, listener: Listener, said: Saying, masked: boolean, at: Micros): void {
    const { author, epoch, after } = said
    const isOf = (one: Published) =>
      one.author === author && one.epoch === epoch && one.channel === listener.channel && one.at > after
    const all = [...this.published].filter(([, one]) => isOf(one))
    const lost = all.filter(([number]) => !listener.handed.has(number))
    if (lost.length === 0) return
    const key = `${author} ${epoch}`
    if (masked)
      return this.fail(`event ${lost[0]![0]} of ${author} did not reach ${reader} although a carrier is honest`, at)
    if (
      listener.unknown.has(key) ||
      [...listener.ended].some(one => one < epoch) ||
      (listener.missed.get(key) ?? 0) >= lost.length
    )
      return
    this.fail(`event ${lost[0]![0]} of ${author} was dropped, and ${reader} was told nothing`, at)
  }
}
