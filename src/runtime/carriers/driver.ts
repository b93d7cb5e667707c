// Drives one machine whose peers are carriers: what came becomes an input; listen, leave and send become calls. Names and
// bytes go as they are: the carrier's own protocol frames them.

import { createHost, type Host, type Input, type Millis, type Protocol, type Saved } from '../../core/index.ts'
import type { CarrierMessage } from '../../events/secret/index.ts'
import { inBackground, randomBelow, randomBytes } from '../platform.ts'
import { type Carrier, type CarrierNews, flushAll, type OpenCarrier } from './carrier.ts'

/** What is driven, and who hears of it. */
export interface Carried<State, Command, Event> {
  readonly protocol: Protocol<State, CarrierMessage, Command, Event>
  readonly self: string
  readonly carriers: readonly Carrier[]
  readonly saved: Saved
  event(event: Event): void
  /** Puts a record in the place of the last one; resolves when it is durable. */
  save(record: Uint8Array): Promise<void>
  /** The machine threw, or could not save: it has ended. */
  failed(error: Error): void
  /** Those that cannot be opened are told of, and the others do; else all must be there. */
  readonly anyCarrier?: boolean
  /** News of a carrier itself. */
  carrier?(url: string, news: CarrierNews): void
}

/** A machine that runs on carriers. */
export interface CarriedDriver<Command> {
  /** Whether any carrier is connected now. */
  readonly isConnected: boolean
  command(body: Command): void
  /**
   * Whether what was sent last may be sent: nothing where a broker that is connected let us a moment ago, or cannot say; else it resolves
   * when one lets us, and rejects where none does.
   */
  admitted(): Promise<void> | undefined
  /** Rejects where no carrier is left that listens for us. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** News of the carrier at this place. */
type TellOf = (place: number, news: CarrierNews) => void

/** Timers of the platform end here. */
const TIMEOUT_MAX_MS = 2 ** 31 - 1

/** One timer under each name; they keep no process alive. */
class Timers {
  private readonly running = new Map<string, ReturnType<typeof setTimeout>>()
  private readonly due: (name: string) => void

  constructor(due: (name: string) => void) {
    this.due = due
  }

  set(name: string, after: Millis): void {
    this.cancel(name)
    const fire = () => {
      this.running.delete(name)
      this.due(name)
    }
    this.running.set(name, inBackground(setTimeout(fire, Math.min(Math.max(0, Math.ceil(after)), TIMEOUT_MAX_MS))))
  }

  cancel(name: string): void {
    clearTimeout(this.running.get(name))
    this.running.delete(name)
  }

  end(): void {
    for (const timer of this.running.values()) clearTimeout(timer)
    this.running.clear()
  }
}

/** Connects to all carriers, then starts the machine. */
export async function driveCarried<State, Command, Event>(
  options: Carried<State, Command, Event>,
): Promise<CarriedDriver<Command>> {
  const { carriers, protocol, self } = options
  const names = carriers.map((_, place) => `carrier-${place + 1}`)
  const timers = new Timers(name => give({ kind: 'timer', name }))
  const asked: (Promise<void> | undefined)[] = []
  let host: Host<State, CarrierMessage, Command> | undefined
  const end = (error?: Error) => {
    if (host === undefined) return
    host.end()
    host = undefined
    timers.end()
    if (error !== undefined) options.failed(error)
  }
  const give = (input: Input<CarrierMessage, Command>) => {
    try {
      host?.input(input)
    } catch (error) {
      end(error instanceof Error ? error : new Error(String(error)))
    }
  }
  const tell: TellOf = (place, news) => host && options.carrier?.(carriers[place]!.url, news)
  const { open, away } = await openAll(options, tell, (place, name, body) => {
    give({ kind: 'message', from: names[place]!, body: { kind: 'came', name, body } })
  })
  host = createHost(protocol, self, names, options.saved, {
    now: (): Millis => performance.now(),
    below: randomBelow,
    bytes: randomBytes,
    send(to, body) {
      const place = names.indexOf(to)
      const answer = performOn(open, place, body, tell)
      if (body.kind === 'send') asked[place] = answer
    },
    timer: (name, after) => timers.set(name, after),
    cancel: name => timers.cancel(name),
    save: (_lane, record, _kind, durable) => void options.save(record).then(durable, end),
    forget() {},
    emit: event => options.event(event),
  })
  give({ kind: 'start' })
  for (const [place, why] of away) tell(place, { is: 'refusing', why })
  return {
    get isConnected() {
      return open.some(one => one?.isConnected)
    },
    command: body => give({ kind: 'command', body }),
    admitted: () => admittedBy(open.flatMap((one, place) => (one?.isConnected ? [asked[place]] : []))),
    flush: () => flushAll(open.filter(one => one !== undefined)),
    async close() {
      end()
      await Promise.all(open.map(one => one?.close()))
    },
  }
}

/** One of those that were asked lets us; nothing where one was not asked, or nobody is there. */
function admittedBy(answers: readonly (Promise<void> | undefined)[]): Promise<void> | undefined {
  if (answers.length === 0 || answers.includes(undefined)) return undefined
  return Promise.any(answers).catch(error => {
    throw (error as AggregateError).errors[0]
  })
}

/** Connections, each at its carrier's place, and why there is none at others. */
interface Opened {
  readonly open: readonly (OpenCarrier | undefined)[]
  readonly away: ReadonlyMap<number, string>
}

async function openAll(
  { carriers, anyCarrier = false }: Pick<Carried<never, never, never>, 'carriers' | 'anyCarrier'>,
  tell: TellOf,
  hear: (place: number, name: string, body: Uint8Array) => void,
): Promise<Opened> {
  const tried = await Promise.allSettled(
    carriers.map((carrier, place) =>
      carrier.open(
        (name, body) => hear(place, name, body),
        'letters',
        news => tell(place, news),
      ),
    ),
  )
  const open = tried.map(one => (one.status === 'fulfilled' ? one.value : undefined))
  const failed = tried.find(one => one.status === 'rejected')
  const isEnough = anyCarrier && open.some(one => one !== undefined)
  const away = new Map(
    tried.flatMap((one, place) => (one.status === 'rejected' ? [[place, (one.reason as Error).message]] : [])),
  )
  if (failed === undefined || isEnough) return { open, away }
  await Promise.all(open.map(one => one?.close()))
  throw failed.reason
}

function performOn(open: Opened['open'], place: number, body: CarrierMessage, tell: TellOf): Promise<void> | undefined {
  try {
    return perform(open[place], body)
  } catch (error) {
    // What one broker does not take is no reason to end the channel.
    tell(place, { is: 'refusing', why: (error as Error).message })
    return undefined
  }
}

function perform(carrier: OpenCarrier | undefined, body: CarrierMessage): Promise<void> | undefined {
  if (carrier === undefined) return undefined
  if (body.kind === 'send') return carrier.send(body.name, body.body) ?? undefined
  if (body.kind === 'listen') carrier.listen(body.name)
  else if (body.kind === 'leave') carrier.leave(body.name)
  return undefined
}
