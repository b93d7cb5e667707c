// The checkers of the one order. They see true time, and at the end the log of an honest server.
//
// Versions give a total order, so that linearizability needs no search: the results must be those of the log, and
// whatever was answered before something else began must stand before it.

import type { NodeId } from '../../core/index.ts'
import type { Checker, Micros, Violation } from '../../simulator/index.ts'
import { digestKey } from '../versions/digest.ts'
import type { Head } from '../wire.ts'
import { type Entry, perform, type RegisterOperation, type RegisterResult } from './register.ts'

/** Lemma 4: of each version there is one state, among all that was ever decided or committed at an honest server. */
export class OneOrderChecker implements Checker {
  readonly name = 'one state a version'
  decided = 0
  private readonly digests = new Map<string, string>()
  private readonly broken: Violation[] = []

  saw(object: string, head: Head, who: NodeId, at: Micros): void {
    const name = `${object} ${head.version}`
    const digest = digestKey(head.digest)
    const before = this.digests.get(name)
    if (before === undefined) this.digests.set(name, digest)
    else if (before !== digest) {
      this.broken.push({
        what: `version ${head.version} of '${object}' at ${who} is another than before (lemma 4)`,
        at,
      })
    }
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}

interface Call {
  readonly object: string
  readonly operation: RegisterOperation
  readonly began: Micros
  ended: Micros
  outcome: 'open' | 'answered' | 'did not happen'
  version: number
  result: RegisterResult | undefined
}

interface ReadCall {
  readonly object: string
  readonly key: string
  readonly began: Micros
  readonly ended: Micros
  readonly version: number
  readonly value: string
}

/** Linearizable, nothing acknowledged lost, exactly once, and no error that lies. */
export class HistoryChecker implements Checker {
  readonly name = 'history'
  readonly calls = new Map<number, Call>()
  readonly reads: ReadCall[] = []
  private readonly broken: Violation[] = []

  began(id: number, object: string, operation: RegisterOperation, at: Micros): void {
    this.calls.set(id, { object, operation, began: at, ended: 0, outcome: 'open', version: 0, result: undefined })
  }

  answered(id: number, version: number, result: RegisterResult, at: Micros): void {
    const call = this.calls.get(id)
    if (call === undefined) return
    if (call.outcome !== 'open') this.say(`operation ${id} was answered after it was ${call.outcome}`, at)
    Object.assign(call, { outcome: 'answered', version, result, ended: at })
  }

  failed(id: number, certain: boolean, at: Micros): void {
    const call = this.calls.get(id)
    if (call !== undefined && certain) Object.assign(call, { outcome: 'did not happen', ended: at })
  }

  read(call: ReadCall): void {
    this.reads.push(call)
  }

  /** To be called at the end, with the log of an honest server. */
  finish(object: string, log: readonly Entry[], at: Micros): void {
    const places = new Map<number, number>()
    const registers = new Map<string, string>()
    for (const [place, { version, operation }] of log.entries()) {
      if (places.has(operation.id)) this.say(`operation ${operation.id} was applied twice`, at)
      places.set(operation.id, place)
      const { result, after } = perform(operation, registers.get(operation.key) ?? '')
      registers.set(operation.key, after)
      this.compare(operation.id, version, result, at)
    }
    this.nothingLost(object, places, at)
    this.inTime(object, places, at)
    this.checkReads(object, log, at)
  }

  private compare(id: number, version: number, result: RegisterResult, at: Micros): void {
    const call = this.calls.get(id)
    if (call === undefined) return this.say(`operation ${id} was applied, and nobody asked for it`, at)
    if (call.outcome === 'did not happen') this.say(`operation ${id} failed for certain and was applied`, at)
    if (call.outcome !== 'answered') return
    const same = call.result?.value === result.value && call.result.swapped === result.swapped
    if (!same)
      this.say(`operation ${id} was answered ${JSON.stringify(call.result)}, not ${JSON.stringify(result)}`, at)
    if (call.version !== version) this.say(`operation ${id} was answered from ${call.version}, not ${version}`, at)
  }

  private nothingLost(object: string, places: ReadonlyMap<number, number>, at: Micros): void {
    for (const [id, call] of this.calls) {
      if (call.object === object && call.outcome === 'answered' && !places.has(id)) {
        this.say(`operation ${id} was answered and is lost`, at)
      }
    }
  }

  // Whatever was answered before another began stands before it: by time of beginning, the largest place answered yet.
  private inTime(object: string, places: ReadonlyMap<number, number>, at: Micros): void {
    const mine = [...this.calls].filter(([id, call]) => call.object === object && places.has(id))
    const byEnd = mine.filter(([, call]) => call.outcome === 'answered').sort((a, b) => a[1].ended - b[1].ended)
    let next = 0
    let largest = -1
    for (const [id, call] of mine.sort((a, b) => a[1].began - b[1].began)) {
      while (next < byEnd.length && byEnd[next]![1].ended < call.began) {
        largest = Math.max(largest, places.get(byEnd[next++]![0])!)
      }
      if (places.get(id)! < largest) this.say(`operation ${id} stands before one that was answered before it began`, at)
    }
  }

  private checkReads(object: string, log: readonly Entry[], at: Micros): void {
    for (const read of this.reads) {
      if (read.object !== object) continue
      let value = ''
      for (const { version, operation } of log) {
        if (version > read.version) break
        if (operation.key === read.key) value = perform(operation, value).after
      }
      if (value !== read.value) this.say(`a read of version ${read.version} gave '${read.value}', not '${value}'`, at)
      this.readInTime(read, at)
    }
  }

  private readInTime(read: ReadCall, at: Micros): void {
    for (const [id, call] of this.calls) {
      if (call.object !== read.object || call.outcome !== 'answered') continue
      if (call.ended < read.began && call.version > read.version) {
        return this.say(`a read of version ${read.version} began after operation ${id} of version ${call.version}`, at)
      }
      if (call.began > read.ended && call.version <= read.version) {
        return this.say(`operation ${id} of version ${call.version} began after a read of ${read.version}`, at)
      }
    }
  }

  violations(): readonly Violation[] {
    return this.broken
  }

  private say(what: string, at: Micros): void {
    this.broken.push({ what, at })
  }
}
