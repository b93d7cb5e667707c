// What a visitor does to a run, as data: beside what is drawn from the seed, never instead of it. Each act has a text form,
// so that a run with all its acts is an address (permalink.ts).
//
// Messages are named by their link and their place on it: `client-1>server-2#3` is the third from client-1 to server-2.
// An act on one link so renames nothing on another.

import type { NodeId } from '../core/index.ts'
import type { Micros } from './network.ts'

/** A message, by its way. */
export interface MessageName {
  readonly from: NodeId
  readonly to: NodeId
  /** From 1 on, counted on its own link. */
  readonly nth: number
}

interface Lasting {
  readonly at: Micros
  readonly lasts: Micros
}

interface Switchable {
  /** It is in the list and does not happen. */
  readonly off?: true
}

/** Something that a visitor does to a run. */
export type ManualAct = Switchable &
  (
    | ({ readonly kind: 'cut'; readonly from: NodeId; readonly to: NodeId } & Lasting)
    | ({ readonly kind: 'crash' | 'lose' | 'pause'; readonly node: NodeId } & Lasting)
    | ({ readonly kind: 'slow'; readonly node: NodeId; readonly factor: number } & Lasting)
    /** Local milliseconds for each true one, from the start to the end. */
    | { readonly kind: 'drift'; readonly node: NodeId; readonly rate: number }
    /** It arrives so much later than it would have. */
    | ({ readonly kind: 'hold'; readonly by: Micros } & MessageName)
    | ({ readonly kind: 'drop' } & MessageName)
    /** It arrives, and once more, so much later. */
    | ({ readonly kind: 'twice'; readonly by: Micros } & MessageName)
    /** A user does something: one of the playground's commands, by its word. */
    | { readonly kind: 'do'; readonly client: NodeId; readonly command: string; readonly at: Micros }
  )

/** The kinds of act there are. */
export type ManualKind = ManualAct['kind']

/** A run lasts no longer: acts and their ends lie in it. */
export const PLAY_MICROS_MAX: Micros = 60_000_000
/** Slower by more is a cut. */
export const SLOW_MAX = 1_000
/** No model of clocks allows a slower one. */
export const RATE_MIN = 0.5
/** Nor a faster one. */
export const RATE_MAX = 2
/** Of one link. More are not sent in a run. */
const NTH_MAX = 200_000
const NAME = /^[A-Za-z0-9][A-Za-z0-9._#-]{0,39}$/
const WORD = /^[a-z][a-z0-9-]{0,19}$/

/** Whether it can be the name of a node in an address. */
export function isNodeName(text: string): boolean {
  return NAME.test(text)
}

/** The text form, as in an address. */
export function actText(act: ManualAct): string {
  return (act.off ? '-' : '') + plainText(act)
}

function plainText(act: ManualAct): string {
  switch (act.kind) {
    case 'cut':
      return `cut:${act.from}>${act.to}@${act.at}+${act.lasts}`
    case 'crash':
    case 'lose':
    case 'pause':
      return `${act.kind}:${act.node}@${act.at}+${act.lasts}`
    case 'slow':
      return `slow:${act.node}@${act.at}+${act.lasts}*${act.factor}`
    case 'drift':
      return `drift:${act.node}*${act.rate}`
    case 'hold':
    case 'twice':
      return `${act.kind}:${messageText(act)}:${act.by}`
    case 'drop':
      return `drop:${messageText(act)}`
    case 'do':
      return `do:${act.client}:${act.command}@${act.at}`
  }
}

/** `client-1>server-2#3` */
export function messageText({ from, to, nth }: MessageName): string {
  return `${from}>${to}#${nth}`
}

/** An act from its text form, or a sentence that says what is wrong. */
export function readAct(text: string): ManualAct | string {
  const off = text.startsWith('-')
  const rest = off ? text.slice(1) : text
  const colon = rest.indexOf(':')
  const kind = rest.slice(0, Math.max(0, colon))
  const read = Object.hasOwn(readers, kind) ? readers[kind] : undefined
  if (read === undefined) {
    return `'${shown(text)}' is no act; an act begins with ${Object.keys(readers).join(', ')} and a colon.`
  }
  const act = read(rest.slice(colon + 1))
  if (act === undefined) return `the act '${shown(text)}' cannot be read; it looks like ${examples[kind]}.`
  return off ? { ...act, off: true } : act
}

const examples: Readonly<Record<string, string>> = {
  cut: 'cut:client-1>server-1@1200+500',
  crash: 'crash:server-1@1200+500',
  lose: 'lose:server-1@1200+500',
  pause: 'pause:client-1@1200+500',
  slow: 'slow:server-1@1200+500*8',
  drift: 'drift:server-1*1.05',
  hold: 'hold:client-1>server-1#1:2000',
  drop: 'drop:client-1>server-1#1',
  twice: 'twice:client-1>server-1#1:2000',
  do: 'do:client-1:use@1200',
}

const readers: Readonly<Record<string, (text: string) => ManualAct | undefined>> = {
  cut: text => {
    const struck = lasting(text)
    const link = struck && readLink(struck.who)
    return link && { kind: 'cut', ...link, at: struck.at, lasts: struck.lasts }
  },
  crash: text => onNode('crash', text),
  lose: text => onNode('lose', text),
  pause: text => onNode('pause', text),
  slow: text => {
    const star = text.lastIndexOf('*')
    const struck = lasting(text.slice(0, star))
    const factor = number(text.slice(star + 1), 1, SLOW_MAX)
    if (star < 0 || struck === undefined || factor === undefined || !isNodeName(struck.who)) return undefined
    return { kind: 'slow', node: struck.who, at: struck.at, lasts: struck.lasts, factor }
  },
  drift: text => {
    const star = text.lastIndexOf('*')
    const node = text.slice(0, star)
    const rate = number(text.slice(star + 1), RATE_MIN, RATE_MAX)
    return star < 0 || rate === undefined || !isNodeName(node) ? undefined : { kind: 'drift', node, rate }
  },
  hold: text => delayed('hold', text),
  twice: text => delayed('twice', text),
  drop: text => {
    const message = readMessage(text)
    return message && { kind: 'drop', ...message }
  },
  do: text => {
    const match = /^([^:@]*):([^:@]*)@(\d+)$/.exec(text)
    if (match === null) return undefined
    const [, client, command, time] = match as unknown as [string, string, string, string]
    const at = whole(time, PLAY_MICROS_MAX)
    return at === undefined || !isNodeName(client) || !WORD.test(command)
      ? undefined
      : { kind: 'do', client, command, at }
  },
}

function onNode(kind: 'crash' | 'lose' | 'pause', text: string): ManualAct | undefined {
  const struck = lasting(text)
  return struck && isNodeName(struck.who) ? { kind, node: struck.who, at: struck.at, lasts: struck.lasts } : undefined
}

function delayed(kind: 'hold' | 'twice', text: string): ManualAct | undefined {
  const colon = text.lastIndexOf(':')
  const message = readMessage(text.slice(0, colon))
  const by = whole(text.slice(colon + 1), PLAY_MICROS_MAX)
  return colon < 0 || message === undefined || by === undefined ? undefined : { kind, ...message, by }
}

function lasting(text: string): { who: string; at: Micros; lasts: Micros } | undefined {
  const match = /^([^@]*)@(\d+)\+(\d+)$/.exec(text)
  if (match === null) return undefined
  const [at, lasts] = [whole(match[2]!, PLAY_MICROS_MAX), whole(match[3]!, PLAY_MICROS_MAX)]
  return at === undefined || lasts === undefined ? undefined : { who: match[1]!, at, lasts }
}

/** A message from its name, as in `client-1>server-2#3`. */
export function readMessage(text: string): MessageName | undefined {
  const mark = text.lastIndexOf('#')
  const link = readLink(text.slice(0, Math.max(0, mark)))
  const nth = whole(text.slice(mark + 1), NTH_MAX)
  return link === undefined || nth === undefined || nth === 0 ? undefined : { ...link, nth }
}

function readLink(text: string): { from: NodeId; to: NodeId } | undefined {
  const ends = text.split('>')
  if (ends.length !== 2 || !ends.every(isNodeName)) return undefined
  return { from: ends[0]!, to: ends[1]! }
}

/** One way of writing each number: what is read is written the same. */
function whole(text: string, max: number): number | undefined {
  const value = Number(text)
  return /^(0|[1-9]\d{0,15})$/.test(text) && value <= max ? value : undefined
}

function number(text: string, min: number, max: number): number | undefined {
  const value = Number(text)
  return /^\d{1,4}(\.\d{1,17})?$/.test(text) && String(value) === text && value >= min && value <= max
    ? value
    : undefined
}

/** What is told of a text that came from outside. */
export function shown(text: string): string {
  const printable = [...text.slice(0, 60)].map(letter => (letter < ' ' || letter === '\u007f' ? '\uFFFD' : letter))
  return printable.join('') + (text.length > 60 ? '…' : '')
}
