// coterie subscribe: events as they come, one line each. What was printed is acknowledged.

import { once } from 'node:events'
import { type Command, Option } from 'commander'
import type { ReceivedEvent } from '../../client/events/event.ts'
import type { MissedEvents } from '../../client/events/options.ts'
import { languages } from '../../events/index.ts'
import { type ConnectionOptions, connectFrom, withConnection } from '../connection.ts'
import { duration } from '../duration.ts'
import { action, choiceOption, newCommand, oneOrMore, warn } from '../output.ts'
import { jsonOf, printable } from '../printable.ts'
import { filterFrom, filterText, guessedFilter } from './filter.ts'
import { channelName } from './publish.ts'

interface Options extends ConnectionOptions {
  readonly channel: string
  readonly language?: string
  readonly name?: string
  readonly from?: 'now' | 'start' | 'again'
  readonly queue?: boolean
  readonly retained?: boolean
  readonly live?: boolean
  readonly count?: number
  readonly timeout?: number
  readonly format: 'text' | 'json'
}

const EXAMPLE = `
Example:
  $ coterie subscribe 'eu/#'
      what has a topic that fits, from now on; a filter that begins with { is our own language
  $ coterie subscribe '{"price": {"lt": 10}}' --name audit --from start --format json
      from the start; when it is started again under the same name, it goes on where it was
  $ coterie subscribe 'jobs/#' --name work --queue
      several of these share the events: each goes to one of them

When it listens, it says so on standard error: what is published from then on comes. An event is acknowledged once its line is
written. Ctrl-C ends it; what was not acknowledged comes again. Events that the servers no longer keep are told on standard error.
With --format json a payload of bytes is the field bytes, in base 64. Behind a pipe to head it ends at the first event after those that
head took: --count ends it at once.

Exit codes: 0 stopped, or --count events were printed; 1 --timeout passed before, the group could not be reached, or
another process took the name; 2 wrong usage.`

export function subscribeCommand(): Command {
  return withConnection(newCommand('subscribe'))
    .argument('<filter>', 'JSON of our own language, or a topic filter of MQTT; @FILE reads it from a file')
    .option('--channel <name>', 'which channel', channelName, 'default')
    .addOption(
      new Option('--language <name>', 'what the filter is written in (default: by its first letter)').choices(
        languages.map(({ name }) => name),
      ),
    )
    .option('--name <name>', 'durable: servers remember how far it is', channelName)
    .addOption(choiceOption('--from <place>', 'where it begins if it never was', ['now', 'start', 'again']))
    .option('--queue', 'share the events with others of the same name')
    .option('--retained', 'first the newest kept event of each topic')
    .option('--live', 'a channel that servers do not save')
    .option('--count <number>', 'end after so many events', oneOrMore)
    .option('--timeout <duration>', 'end after so long', duration)
    .addOption(choiceOption('--format <format>', 'how they are printed', ['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLE)
    .action(action(subscribe))
}

async function subscribe(given: string, options: Options): Promise<void> {
  const written = await filterText(given)
  const filter = options.language === undefined ? guessedFilter(written) : filterFrom(options.language, written)
  await using group = await connectFrom(options, { events: true })
  const stop = new AbortController()
  const ends = () => stop.abort()
  process.once('SIGINT', ends)
  process.once('SIGTERM', ends)
  const { name, from, queue, retained, live = false, count = Number.POSITIVE_INFINITY, timeout } = options
  const timer = timeout === undefined ? undefined : setTimeout(ends, timeout)
  const onMissed = ({ author, count: gone }: MissedEvents) =>
    warn(`missed ${gone} ${gone === 1 ? 'event' : 'events'} of ${author}: the servers no longer keep them`)
  const how = { signal: stop.signal, onMissed, ...(name && { name }), ...(from && { from }), ...(queue && { queue }) }
  const channel = group.events(options.channel, { durable: !live })
  const subscription = channel.subscribe(filter, { ...how, ...(retained && { retained }) })
  // Who wants to see an event must know from when on it may be published. Why it never was, the loop throws.
  const listening = () => warn(`listening to channel '${options.channel}'; Ctrl-C ends it`)
  void subscription.ready.then(listening, () => {})
  let printed = 0
  for await (const event of subscription) {
    await write(options.format === 'json' ? jsonOf(plain(event)) : shown(event))
    event.ack()
    if (++printed >= count) break
  }
  clearTimeout(timer)
  process.off('SIGINT', ends)
  process.off('SIGTERM', ends)
  if (!Number.isFinite(count) || printed >= count) return
  warn(`${printed} of ${count} ${count === 1 ? 'event' : 'events'} came`)
  process.exitCode = 1
}

/** An event as JSON. */
export function plain(event: ReceivedEvent): unknown {
  const { id, author, attributes, time, attempt } = event
  const { payload } = event
  const carried = payload instanceof Uint8Array ? { bytes: Buffer.from(payload).toString('base64') } : { payload }
  return { id, author, time: time.toISOString(), attempt, attributes, ...carried }
}

/** An event as one line of text. */
export function shown({ time, author, attributes, payload }: ReceivedEvent): string {
  const { topic, ...others } = attributes
  const said = Object.entries(others).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  const carried = payload instanceof Uint8Array ? `${payload.length} bytes` : JSON.stringify(payload)
  const words = [time.toISOString(), author, ...(topic === undefined ? [] : [String(topic)]), ...said]
  // A topic with an end of line in it would print a second event, of whatever author it likes; with a colour, none at all.
  return printable([...words, ...(carried === undefined ? [] : [carried])].join('  '))
}

async function write(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain')
}
