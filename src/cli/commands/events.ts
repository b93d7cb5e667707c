// coterie events: channels, what is kept, how far subscriptions are, and who was caught.

import type { Command } from 'commander'
import type { ChannelStatus } from '../../client/events/status.ts'
import type { Accusation } from '../../client/inspect-objects.ts'
import { type ConnectionOptions, connectFrom, withConnection } from '../connection.ts'
import { action, newCommand, print } from '../output.ts'
import { describeAccusation } from './status.ts'

interface Options extends ConnectionOptions {
  readonly json?: boolean
}

const TIMEOUT_MS = 5_000

const EXAMPLE = `
Example:
  $ coterie events
      a line for each channel, and below it each durable subscription and queue, with how many events it is behind;
      then the servers that clients caught lying about events

Of each number what more servers say than may lie. Behind are also events that a subscription's filter does not want and
that it has not come to.

Exit codes: 0 shown, 1 the group could not be reached, 2 wrong usage.`

export function eventsCommand(): Command {
  return withConnection(newCommand('events'))
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(events))
}

async function events(options: Options): Promise<void> {
  await using group = await connectFrom(options, { events: true })
  const channel = group.events('default')
  const [channels, accusations] = await Promise.all([channel.survey({ timeout: TIMEOUT_MS }), channel.accusations()])
  print(options.json, { channels, accusations }, () => describe(channels, accusations))
}

function describe(channels: readonly ChannelStatus[], accusations: readonly Accusation[]): string {
  const caught = accusations.map(describeAccusation)
  if (channels.length === 0) return ['no channel has events or subscriptions', ...caught].join('\n')
  const lines = channels.flatMap(channel => [lineOf(channel), ...channel.subscriptions.map(subscriptionLine)])
  return [...lines, ...caught].join('\n')
}

function lineOf({ channel, events: count, authors }: ChannelStatus): string {
  return `  ${channel}  ${count} ${count === 1 ? 'event' : 'events'} kept, of ${authors.join(', ') || 'nobody'}`
}

function subscriptionLine({ name, owner, queue, behind }: ChannelStatus['subscriptions'][number]): string {
  return `    ${queue ? 'queue ' : ''}${name} of ${owner}: ${behind === 0 ? 'has handled all' : `${behind} behind`}`
}
