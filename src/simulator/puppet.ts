// A traitor that says what it is told. On each question the honest machine runs in its shadow, so that honesty is one of the
// words; the visitor's word goes to the asker instead. It speaks only as itself: the world stamps the sender.
//
// A palette lists the words of one protocol. A free word is a message that somebody edited, kept as its canonical bytes: what
// the wire has no room for never leaves.

import {
  type AnyProtocol,
  type Codec,
  copy,
  decode,
  type Effect,
  encode,
  fingerprint,
  type NodeId,
  type Turn,
} from '../core/index.ts'
import type { Script } from './permalink.ts'
import { stateText } from './states.ts'

/** A question that a traitor is asked. */
export interface Asked {
  readonly from: NodeId
  // biome-ignore lint/suspicious/noExplicitAny: a palette knows its own messages
  readonly body: any
  /** What honesty would say to the asker. */
  // biome-ignore lint/suspicious/noExplicitAny: a palette knows its own messages
  readonly honest: readonly any[]
  /** What was said to anybody before, the newest last. */
  // biome-ignore lint/suspicious/noExplicitAny: a palette knows its own messages
  readonly said: readonly any[]
}

/** One of the words that a traitor can say. */
export interface PaletteWord {
  /** One letter a–z, or a minus for silence. */
  readonly letter: string
  /** Short, for a button. */
  readonly name: string
  readonly title: string
  /** The messages to the asker: none, one or more. */
  say(asked: Asked): readonly unknown[]
}

/** The words of one protocol. */
export interface Palette {
  readonly words: readonly PaletteWord[]
  /** Whether the visitor is asked what to say to this; other messages are answered honestly. */
  // biome-ignore lint/suspicious/noExplicitAny: a palette knows its own messages
  asks(body: any): boolean
}

/** The word of every palette that tells the truth. */
export const honestWord: PaletteWord = {
  letter: 'h',
  name: 'the truth',
  title: 'what an honest server would say',
  say: ({ honest }) => honest,
}

/** The word of every palette that says nothing. */
export const silence: PaletteWord = { letter: '-', name: 'nothing', title: 'no answer at all', say: () => [] }

/** Answers of a traitor that are remembered for its palette. */
const SAID_MAX = 200

/** Gives a traitor its words, one after the other. */
export class Mouth {
  /** Words that were used, and those of them that were not what honesty says. */
  spoken = 0
  lies = 0
  /** Words that could not be said, each with a sentence. */
  readonly refused: string[] = []
  readonly said: unknown[] = []
  /** Of what was said, what honesty would not have said. */
  readonly untrue = new Set<unknown>()
  private readonly script: Script
  private readonly palette: Palette
  private readonly vocabulary: Codec<unknown>

  constructor(script: Script, palette: Palette, vocabulary: Codec<unknown>) {
    this.script = script
    this.palette = palette
    this.vocabulary = vocabulary
  }

  /** Whether this would be a question for which no word is left. */
  asks(body: unknown): boolean {
    return this.palette.asks(body) && this.word() === undefined
  }

  /** The next word that is written down. */
  private word(): string | undefined {
    return this.script.words[this.spoken] ?? this.script.always
  }

  /** Takes the next word and says what goes to the asker. */
  speak(asked: Asked): readonly unknown[] {
    const word = this.word()
    this.spoken++
    const bodies = word === undefined ? asked.honest : this.meaning(word, asked)
    if (fingerprint(bodies) !== fingerprint(asked.honest)) this.lies++
    this.said.push(...bodies)
    const truths = new Set(asked.honest.map(stateText))
    for (const body of bodies) if (!truths.has(stateText(body))) this.untrue.add(body)
    if (this.said.length > SAID_MAX) this.said.splice(0, this.said.length - SAID_MAX)
    return bodies
  }

  private meaning(word: string, asked: Asked): readonly unknown[] {
    if (word.startsWith('~')) return this.free(word)
    const known = this.palette.words.find(({ letter }) => letter === word)
    if (known !== undefined) return known.say(asked)
    this.refused.push(`'${word}' is no word of this traitor: it says nothing instead.`)
    return []
  }

  private free(word: string): readonly unknown[] {
    const bytes = fromBase64(word.slice(1))
    const decoded = bytes && decode(this.vocabulary, bytes)
    if (decoded?.ok) return [decoded.value]
    this.refused.push(`the word ${word.slice(0, 20)} is no message of this protocol: it never leaves the traitor.`)
    return []
  }
}

/** The honest machine, whose answers to questions are the mouth's. */
export function puppet(honest: AnyProtocol, palette: Palette, mouth: Mouth): AnyProtocol {
  return {
    name: `${honest.name}, played`,
    init: (self, peers, saved) => honest.init(self, peers, saved),
    step(state, input, turn) {
      if (input.kind !== 'message' || !palette.asks(input.body)) return honest.step(state, input, turn)
      const { from, body } = input
      const answers = shadowed(honest, state, input, { ...ports(turn), do: effect => turn.do(effect) })
      for (const said of mouth.speak({ from, body, honest: answers, said: mouth.said })) {
        turn.do({ kind: 'send', to: from, body: said })
      }
    },
  }
}

/** What honesty would answer, without anything happening: the state is a copy, and chance always says zero. */
export function honestAnswers(honest: AnyProtocol, state: unknown, asked: Omit<Asked, 'honest' | 'said'>, now: number) {
  const turn: AnyTurn = { now, below: () => 0, bytes: length => new Uint8Array(length), do: () => {} }
  return shadowed(honest, copy(state), { kind: 'message', from: asked.from, body: asked.body }, turn)
}

// biome-ignore lint/suspicious/noExplicitAny: puppets wrap machines of every vocabulary
type AnyTurn = Turn<any, any>

function ports(turn: AnyTurn) {
  return {
    now: turn.now,
    below: (bound: number) => turn.below(bound),
    bytes: (length: number) => turn.bytes(length),
  }
}

function shadowed(
  honest: AnyProtocol,
  state: unknown,
  input: { readonly kind: 'message'; readonly from: NodeId; readonly body: unknown },
  turn: AnyTurn,
): readonly unknown[] {
  const answers: unknown[] = []
  honest.step(state, input, {
    ...turn,
    do(effect: Effect<unknown, unknown>) {
      if (effect.kind === 'send' && effect.to === input.from) answers.push(effect.body)
      else turn.do(effect)
    },
  })
  return answers
}

/** A message that somebody edited, as a word; or a sentence where the wire has no room for it. */
export function freeWord(vocabulary: Codec<unknown>, body: unknown): { word: string } | { refusal: string } {
  try {
    const bytes = encode(vocabulary, body)
    const back = decode(vocabulary, bytes)
    if (!back.ok) return { refusal: `the wire has no room for this message: ${back.refusal}.` }
    return { word: `~${toBase64(bytes)}` }
  } catch (error) {
    return {
      refusal: `the wire has no room for this message: ${error instanceof Error ? error.message : String(error)}.`,
    }
  }
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Base64 for addresses (RFC 4648 §5), without padding. */
export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const three = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    const letters = [18, 12, 6, 0].map(shift => LETTERS[(three >> shift) & 63]!)
    text += letters.slice(0, Math.min(3, bytes.length - at) + 1).join('')
  }
  return text
}

/** The bytes, or nothing where the text is not what `toBase64` writes. */
export function fromBase64(text: string): Uint8Array | undefined {
  const out: number[] = []
  let bits = 0
  let held = 0
  for (const letter of text) {
    const value = LETTERS.indexOf(letter)
    if (value < 0) return undefined
    held = ((held << 6) | value) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    out.push((held >> bits) & 255)
  }
  const bytes = Uint8Array.from(out)
  return toBase64(bytes) === text ? bytes : undefined
}
