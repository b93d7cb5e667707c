// coterie matcher: finds, beside a broker, what readers of counted and peks channels want, without being able to read it.

import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { mclEngine } from '../../crypto/peks/index.ts'
import { runMatcher } from '../../runtime/carriers/share.ts'
import { type CarrierOptions, someCarriers, warnOfCarrier, withCarriers } from '../carriers.ts'
import { action, colour, fail, newCommand, printLine } from '../output.ts'

interface Options extends CarrierOptions {
  readonly channel: readonly Uint8Array[]
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie matcher --nats nats://127.0.0.1 --channel 3f9a01c2d4e5f60718293a4b5c6d7e8f
      runs until Ctrl-C; the channel's id is what coterie channel new printed

It holds the trapdoors that readers give it, and no key: it learns which events match one of them, and no more. In peks mode it
can also guess: whether a trapdoor is for a word of a list (coterie lab run keyword-guessing). One pairing, four milliseconds, for
each trapdoor of an event's reader; events beyond a thousand pairings that wait are not tested, and their readers are told.

Exit codes: 0 stopped, 1 the broker cannot be reached, 2 wrong usage.`

export function matcherCommand(): Command {
  return withCarriers(newCommand('matcher'))
    .requiredOption('--channel <id>', "a channel's id, 32 hexadecimal digits (may be repeated)", ids)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(match))
}

function ids(text: string, before: readonly Uint8Array[] = []): Uint8Array[] {
  if (!/^[0-9a-f]{32}$/.test(text)) throw new InvalidArgumentError("It must be a channel's id: 32 hexadecimal digits.")
  return [...before, new Uint8Array(Buffer.from(text, 'hex'))]
}

async function match(options: Options): Promise<void> {
  const counts = { messages: 0, matched: 0, sent: 0, behind: 0 }
  let stop = () => {}
  const stopped = new Promise<void>(resolve => {
    stop = resolve
  })
  const failed = (error: Error) => {
    fail(error)
    stop()
  }
  const carriers = await someCarriers(options)
  const pairing = await mclEngine().catch(() => undefined)
  const matcher = await runMatcher(
    { carriers, channels: options.channel, pairing, told: warnOfCarrier },
    event => {
      if (event.kind === 'behind') counts.behind++
      if (event.kind !== 'matched') return
      counts.messages++
      if (event.boxes > 0) counts.matched++
      counts.sent += event.boxes
    },
    failed,
  )
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const where = carriers.map(({ url }) => url).join(', ')
  const isPeks = pairing !== undefined
  printLine(options.json, { matching: where, peks: isPeks }, () => {
    const without = isPeks ? '' : '; mcl-wasm is not installed: channels in peks mode are not matched'
    return `${colour.green('matching')} on ${where}${without}; Ctrl-C ends it`
  })
  // The machine's timers do not keep a process alive.
  const alive = setInterval(() => {}, 60_000)
  await stopped
  clearInterval(alive)
  await matcher.close()
  printLine(
    options.json,
    counts,
    () => `${counts.messages} messages, ${counts.matched} matched, ${counts.sent} sent on, ${counts.behind} not tested`,
  )
}
