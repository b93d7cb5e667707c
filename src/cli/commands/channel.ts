// coterie channel new|add|remove|rotate: the keeper of a secret channel.

import { type Command, InvalidArgumentError } from 'commander'
import { CoterieError, SettingsError, Unavailable } from '../../core/index.ts'
import type { EpochRecord, Search, Searchable, SecretMode } from '../../events/secret/index.ts'
import type { Carrier } from '../../runtime/carriers/carrier.ts'
import { shareRecord } from '../../runtime/carriers/share.ts'
import { type ChannelCard, type ChannelChange, newChannel, newestOf, nextEpoch } from '../../runtime/channels.ts'
import { type CarrierOptions, carriersOf, warnOfCarrier, withCarriers } from '../carriers.ts'
import { duration, durationOption, inWords } from '../duration.ts'
import { action, choiceOption, colour, EXIT_FAILED, newCommand, print, several } from '../output.ts'

interface NewOptions {
  readonly group: string
  readonly reader?: readonly string[]
  readonly writer?: readonly string[]
  readonly search: readonly Searchable[]
  readonly mode: 'tagged' | 'counted' | 'peks'
  readonly pair?: boolean
  readonly guessable?: boolean
  readonly lasts?: number
  readonly json?: boolean
}

interface NextOptions extends CarrierOptions {
  readonly group: string
  readonly lasts?: number
  readonly wait: number
  readonly reads?: boolean
  readonly writes?: boolean
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie channel new prices --group shop --writer till-1 --reader till-2 --search symbol=equal
      makes the channel's keeper and its first epoch, and a file in the folder of each party
  $ coterie channel add prices till-3 --reads --group shop
      from the next epoch on, half a minute from now
  $ coterie channel remove prices till-2 --group shop --nats nats://127.0.0.1
      at once: sent through the broker, and every writer's receipt is waited for
  $ coterie channel rotate prices --group shop --nats nats://127.0.0.1
      a fresh key; do it before the epoch is over, or writers stop

An attribute is searched by equality (symbol=equal), by its first letters (name=prefix:1,3), or by ranges
(price=range:0..1000:8:16, which is from 0 to 1000 in 2^8 cells, 16 to a level).

Exit codes: 0 made, 1 it could not be made or a writer has not said that it has the record, 2 wrong usage.`

function withGroup(command: Command): Command {
  return command
    .option('--group <dir>', "the group's folder", '.coterie')
    .option('--lasts <duration>', 'how long an epoch lasts (default: 1h, or as before)', duration)
    .option('--json', 'print the result as JSON')
}

function withNext(command: Command): Command {
  const wait = durationOption('--wait <duration>', "how long to wait for the writers' receipts", '10s')
  return withCarriers(withGroup(command)).addOption(wait)
}

export function channelCommand(): Command {
  const make = withGroup(newCommand('new'))
    .description('make a secret channel: its keeper, its first epoch, and a file for each party')
    .argument('<name>', 'name of the channel: lower-case letters, digits and hyphens')
    .option('--reader <client>', 'a client that may read (may be repeated)', several)
    .option('--writer <client>', 'a client that may write (may be repeated)', several)
    .requiredOption('--search <how>', 'an attribute that can be searched (may be repeated)', searches)
    .addOption(
      choiceOption('--mode <mode>', 'tagged: any broker; counted, peks: with coterie matcher', [
        'tagged',
        'counted',
        'peks',
      ]).default('tagged'),
    )
    .option('--pair', 'tagged, with a key of its own for each writer and reader')
    .option('--guessable', 'of peks: that the broker may find by a list of words what a reader asks for')
    .addHelpText('after', EXAMPLE)
    .action(action(makeNew))
  const add = withNext(newCommand('add'))
    .description('add a client, from the next epoch on')
    .argument('<name>', 'name of the channel')
    .argument('<client>', 'name of the client')
    .option('--reads', 'it may read')
    .option('--writes', 'it may write')
    .addHelpText('after', '\nExample:\n  $ coterie channel add prices till-3 --reads --group shop')
    .action(action(addTo))
  const remove = withNext(newCommand('remove'))
    .description('remove a client: a new key, at once')
    .argument('<name>', 'name of the channel')
    .argument('<client>', 'name of the client')
    .addHelpText('after', '\nExample:\n  $ coterie channel remove prices till-2 --group shop --nats nats://127.0.0.1')
    .action(action((name: string, client: string, options: NextOptions) => next(name, { remove: client }, options)))
  const rotate = withNext(newCommand('rotate'))
    .description('begin a new epoch, with a fresh key')
    .argument('<name>', 'name of the channel')
    .addHelpText('after', '\nExample:\n  $ coterie channel rotate prices --group shop --nats nats://127.0.0.1')
    .action(action((name: string, options: NextOptions) => next(name, {}, options)))
  const channel = newCommand('channel').addHelpText('after', EXAMPLE)
  for (const command of [make, add, remove, rotate]) channel.addCommand(command)
  return channel
}

function searches(text: string, before: readonly Searchable[] = []): Searchable[] {
  const mark = text.indexOf('=')
  const search = mark < 1 ? undefined : searchOf(text.slice(mark + 1))
  if (search === undefined)
    throw new InvalidArgumentError('It must be such as symbol=equal, name=prefix:1,3 or price=range:0..1000:8:16.')
  return [...before, { attribute: text.slice(0, mark), search }]
}

function searchOf(how: string): Search | undefined {
  if (how === 'equal') return { kind: 'equal' }
  const prefix = /^prefix:(\d{1,2}(?:,\d{1,2})*)$/.exec(how)
  if (prefix !== null) return { kind: 'prefix', lengths: prefix[1]!.split(',').map(Number) }
  const range = /^range:(-?[\d.]+)\.\.(-?[\d.]+):(\d{1,2}):(\d{1,3})$/.exec(how)
  if (range === null) return undefined
  const [from, to, bits, base] = range.slice(1).map(Number)
  return { kind: 'range', from: from!, to: to!, bits: bits!, base: base! }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

function shown({ channel, number, from, until, parties }: EpochRecord) {
  const names = (role: 'reads' | 'writes') => parties.filter(one => one[role]).map(({ name }) => name)
  return {
    channel: channel.name,
    id: hex(channel.id),
    epoch: number,
    from: new Date(from).toISOString(),
    until: new Date(until).toISOString(),
    readers: names('reads'),
    writers: names('writes'),
  }
}

function described({ channel, id, epoch, from, until, readers, writers }: ReturnType<typeof shown>): string {
  return [
    `${colour.green('made')} epoch ${epoch} of channel ${colour.bold(channel)}, from ${from} until ${until}`,
    `  writers: ${writers.join(', ') || 'none'}; readers: ${readers.join(', ') || 'none'}`,
    `  for coterie matcher: --channel ${id}`,
  ].join('\n')
}

async function makeNew(name: string, options: NewOptions): Promise<void> {
  const { group, reader = [], writer = [], search, lasts } = options
  const terms = { mode: modeOf(options), searchable: search, ...(lasts === undefined ? {} : { lasts }) }
  const record = shown(await newChannel(group, name, { readers: reader, writers: writer }, terms))
  print(options.json, record, () => described(record))
}

function modeOf({ mode, pair, guessable }: NewOptions): SecretMode {
  if (pair && mode !== 'tagged') throw new SettingsError(`--pair goes with --mode tagged, not with ${mode}.`)
  if (mode === 'peks' && !guessable) {
    throw new SettingsError(
      'in peks mode the broker can find by a list of words which keyword a reader asks for. Say --guessable where your keywords cannot be listed, or use --mode tagged --pair.',
    )
  }
  return pair ? 'paired' : mode
}

async function addTo(name: string, client: string, options: NextOptions): Promise<void> {
  const { reads, writes } = options
  if (!reads && !writes) throw new SettingsError('say what the client may do: --reads, --writes or both.')
  const add = { readers: reads ? [client] : [], writers: writes ? [client] : [] }
  await next(name, { add }, options)
}

async function next(name: string, change: ChannelChange, options: NextOptions): Promise<void> {
  const { group, lasts, wait, json } = options
  // What is no address is refused before anything is made.
  const carriers = await carriersOf(options)
  const card = await nextEpoch(group, name, { ...change, ...(lasts === undefined ? {} : { lasts }) })
  const missing = await shared(card, carriers, wait)
  const record = { ...shown(newestOf(card)), missing }
  print(json, record, () => [described(record), ...explained(missing, options, change)].join('\n'))
  if (missing !== undefined && missing.length > 0) process.exitCode = EXIT_FAILED
}

/** Writers without the record; nothing where it was not sent anywhere. */
async function shared(
  card: ChannelCard,
  carriers: readonly Carrier[],
  wait: number,
): Promise<readonly string[] | undefined> {
  if (carriers.length === 0) return undefined
  try {
    return await shareRecord(card, carriers, wait, warnOfCarrier)
  } catch (error) {
    if (!(error instanceof CoterieError)) throw error
    // It is made, and would be made once more by who tries again.
    const { number } = newestOf(card)
    throw new Unavailable(
      `${error.message} Epoch ${number} is made and in the folders of all parties here, and was sent to nobody: copy channels/${card.channel.name}.json to each party, or run coterie channel rotate once the broker is there.`,
    )
  }
}

function explained(missing: readonly string[] | undefined, { wait }: NextOptions, { remove }: ChannelChange): string[] {
  if (missing === undefined)
    return ['  Send it on: run this with --nats or --mqtt, or copy channels/NAME.json to each party.']
  if (missing.length === 0) return ['  every writer has it']
  const until = remove === undefined ? 'they stop at the end of the epoch before' : 'who was removed can read them'
  return [colour.yellow(`  not heard in ${inWords(wait)} from ${missing.join(', ')}: until they have it, ${until}`)]
}
