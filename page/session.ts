// One run as the page shows it: the played run, and what the picture needs of it.

import { hashNote } from '../src/play/open.ts'
import type { Playground, RunSpec } from '../src/simulator/index.ts'
import { brief } from '../src/simulator/trace.ts'
import { type Drawing, drawingOf, type Mark } from './diagram/marks.ts'
import type { Played } from './played.ts'

/** A run that was played as far as it goes. */
export interface Session {
  readonly spec: RunSpec
  readonly playground: Playground
  readonly play: Played
  readonly drawing: Drawing
  readonly clients: readonly string[]
  readonly servers: readonly string[]
  readonly liars: ReadonlySet<string>
  /** What an address from another build says of itself. */
  readonly differs: string | undefined
}

/** What there is to show of a run that was played as far as it goes. */
export function sessionOf(play: Played, playground: Playground): Session {
  const { spec } = play
  const nodes = play.nodes
  const clients = nodes.filter(({ id }) => id.startsWith('client')).map(({ id }) => id)
  const servers = nodes.filter(({ id }) => !id.startsWith('client')).map(({ id }) => id)
  const lanes = [...clients, ...servers]
  const drawing = drawingOf({
    marks: marksOf(play),
    lanes,
    broken: play.status === 'broken',
    asks: askedMark(play),
    lost: play.lost,
  })
  const liars = new Set(nodes.filter(({ lies }) => lies).map(({ id }) => id))
  return { spec, playground, play, drawing, clients, servers, liars, differs: differing(play) }
}

function askedMark({ question }: Played): Mark | undefined {
  if (question === undefined) return undefined
  const { at, sentAt, from, node, body } = question
  return { at, sentAt, from, node, kind: 'deliver', what: brief(body) }
}

function marksOf(play: Played): Mark[] {
  const drawnLiars = new Set(play.nodes.filter(({ lies, played }) => lies && !played).map(({ id }) => id))
  return play.trace.map((entry, place) => {
    if (entry.kind !== 'deliver' || entry.from === undefined || entry.nth === undefined) return entry
    const message = `${entry.from}>${entry.node}#${entry.nth}`
    // Of a liar that the seed drew nothing is worth believing; of a traitor that is played it is known which word was a lie.
    return { ...entry, message, lie: play.lies.has(place) || drawnLiars.has(entry.from) }
  })
}

function differing(play: Played): string | undefined {
  if (hashNote(play) === undefined) return undefined
  const { build, hash } = play.spec
  const by = build === undefined ? 'another version' : `version ${build}`
  return `This address was made by ${by}; this build gives another run (its trace is ${play.hash.slice(0, 8)}, not ${hash}).`
}

/** The spec with one more word of a traitor. */
export function withWord(spec: RunSpec, node: string, word: string): RunSpec {
  const script = spec.say[node] ?? { words: [] }
  return fresh({ ...spec, say: { ...spec.say, [node]: { ...script, words: [...script.words, word] } } })
}

/** A changed run has no hash yet, and its reader stands elsewhere. */
export function fresh(spec: RunSpec): RunSpec {
  const { hash: _hash, build: _build, at: _at, ...rest } = spec
  return rest
}

/** Whether two are inside that must not be. */
export function isClash({ drawing }: Session, time: number): boolean {
  return drawing.clashes.some(({ from, to }) => from <= time && time <= to)
}

/** Who is inside at a place of the run. */
export function insideAt({ drawing }: Session, time: number): ReadonlySet<string> {
  const inside = drawing.spans.filter(({ kind, from, to }) => kind === 'inside' && from <= time && time <= to)
  return new Set(inside.map(({ lane }) => drawing.lanes[lane]!))
}
