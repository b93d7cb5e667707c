// What happened, in a sentence for people who have not read the protocol. The trace's own line stands beside it.

import type { Mark } from './diagram/marks.ts'

interface Spoken {
  readonly word: string
  readonly fields: ReadonlyMap<string, string>
}

/** `status attempt=1 locked=false` */
function spoken(what: string): Spoken {
  const [word = '', ...rest] = what.split(' ')
  const fields = rest.map(part => part.split('=') as [string, string | undefined])
  return { word, fields: new Map(fields.map(([name, value]) => [name, value ?? ''])) }
}

const MESSAGES: Readonly<Record<string, (fields: ReadonlyMap<string, string>) => string>> = {
  try: () => 'asks: may I come in?',
  status: fields => (fields.get('locked') === 'true' ? 'answers: LOCKED' : 'answers: FREE'),
  granted: () => 'answers: yes, it is yours',
  given: () => 'gives the lock to the next in its queue',
  locked: () => 'answers: no, somebody has it',
  tooLow: () => 'answers: your number is too low, try a higher one',
  tooHigh: () => 'answers: your number is too high',
  queued: () => 'answers: you are in the queue',
  wait: () => 'joins the queue',
  yield: () => 'lets another go first',
  inquire: () => 'asks: do you still need it?',
  release: () => 'gives it back',
  renew: () => 'asks for more time',
  renewed: () => 'gives more time',
  notRenewed: () => 'gives no more time',
  request: () => 'asks: may I come in?',
  grant: () => 'answers: yes',
  token: () => 'hands on the token',
  set: () => 'asks: may I hold it?',
  unset: () => 'gives it back',
  answer: fields => (fields.get('ok') === 'true' ? 'answers: yes' : 'answers: no'),
  get: () => 'asks: what is the newest state, and may I write the next?',
  got: () => 'answers with the newest state it knows',
  propose: () => 'proposes the next state',
  accepted: () => 'accepts the proposal',
  commit: () => 'says: this state is decided',
  committed: () => 'says: this state is decided',
  busy: () => 'answers: another one is writing, wait',
  submit: () => 'hands in a change',
  pushed: () => 'hands on a change',
  answered: () => 'says what came of a change',
  read: () => 'asks to read',
  readings: () => 'answers with what it has',
  refused: () => 'refuses: a newer one came first',
  ping: () => 'asks: are you there?',
  ack: () => 'answers: I am here',
  vote: () => 'votes',
  yes: () => 'answers: yes',
  no: () => 'answers: no',
}

const EVENTS: Readonly<Record<string, string>> = {
  entered: 'is inside',
  acquired: 'has the lock',
  left: 'has left',
  lost: 'has lost the lock',
  released: 'has given the lock back',
  refused: 'was refused',
  busy: 'is busy already',
}

const COMMANDS: Readonly<Record<string, string>> = {
  contend: 'wants to come in',
  acquire: 'wants the lock',
  open: 'opens the object',
  submit: 'wants to change the object',
  enter: 'wants to come in',
  leave: 'leaves',
  release: 'gives the lock back',
}

/** A walk says it in words already: wants the lock, submits 1. */
const TOLD = /^[a-z]+s\b[^=]*$/

/** A part of a sentence, and whether it is a name. */
export interface Piece {
  readonly text: string
  readonly name?: true
  readonly lie?: true
}

export function piecesOf(mark: Mark): Piece[] {
  const who: Piece = { text: mark.node, name: true }
  const { word, fields } = spoken(mark.what)
  switch (mark.kind) {
    case 'deliver': {
      const says = MESSAGES[word]?.(fields) ?? `sends: ${mark.what}`
      const pieces: Piece[] = [{ text: mark.from ?? '?', name: true }, { text: ` → ` }, who, { text: `: ${says}` }]
      return mark.lie ? [...pieces, { text: ' (a lie)', lie: true }] : pieces
    }
    case 'emit':
      return [who, { text: ` ${EVENTS[word] ?? `tells: ${mark.what}`}` }]
    case 'command':
      return [who, { text: ` ${COMMANDS[word] ?? (TOLD.test(mark.what) ? mark.what : `is told: ${mark.what}`)}` }]
    case 'timer':
      return [who, { text: `: its timer “${mark.what}” rings` }]
    case 'start':
      return [who, { text: ' starts' }]
    case 'restart':
      return [who, { text: ' is back' }]
    case 'crash':
      return [who, { text: ' crashes' }]
    case 'pause':
      return [who, { text: ' stands still' }]
    case 'resume':
      return [who, { text: ' goes on' }]
    case 'stop':
      return [who, { text: ' stops' }]
    case 'note':
      return [who, { text: `: ${mark.what}` }]
  }
}

/** The same as plain text. */
export function sentenceOf(mark: Mark): string {
  return piecesOf(mark)
    .map(({ text }) => text)
    .join('')
}

/** Of a message: the short word that fits a cell. */
export function shortWord(what: string): { readonly text: string; readonly tone: 'yes' | 'no' | 'other' } {
  const { word, fields } = spoken(what)
  if (word === 'status') {
    return fields.get('locked') === 'true' ? { text: 'LOCKED', tone: 'no' } : { text: 'FREE', tone: 'yes' }
  }
  if (word === 'answer') {
    return fields.get('ok') === 'true' ? { text: 'yes', tone: 'yes' } : { text: 'no', tone: 'no' }
  }
  if (YES.has(word)) return { text: word === 'grant' || word === 'granted' ? 'yes' : word, tone: 'yes' }
  if (NO.has(word)) return { text: NO.get(word)!, tone: 'no' }
  return { text: word.slice(0, 12), tone: 'other' }
}

const YES = new Set(['granted', 'given', 'grant', 'renewed', 'accepted', 'voted', 'ok', 'yes'])
const NO = new Map([
  ['locked', 'no'],
  ['tooLow', 'too low'],
  ['tooHigh', 'too high'],
  ['notRenewed', 'no more'],
  ['refused', 'refused'],
  ['denied', 'no'],
  ['deny', 'no'],
  ['queued', 'queued'],
  ['busy', 'busy'],
  ['no', 'no'],
])
