// One broker's routing table, link by link, in the tree of all brokers; and one event's way.

import type { NodeId } from '../../../src/core/index.ts'
import { type Clause, matches } from '../../../src/events/index.ts'
import { CHANNEL } from '../../../src/events/routing/state.ts'
import type { Picture } from '../../experiment.ts'
import type { Overlaid } from '../overlaid.ts'
import { arrow, line, numberOf, type Point, picture, stands, words } from './drawing.ts'
import { type RoutingScene, routingScene, type Side } from './routing-scene.ts'

const TOP = 118
const ROW = 26
const LINE = 17
const LEVEL = 68
const LEFT = 46
const HEARD = 430
const TOLD = 640
const WIDTH = 850
const GAP = 26
const RADIUS = 10

/** One broker's place, and which broker is before it on the way from the one that is shown. */
interface Placed {
  readonly at: Point
  readonly parent: NodeId | undefined
}

/** ".12–.34" */
const share = (value: number) => (value === 0 || value === 1 ? String(value) : value.toFixed(2).replace(/^0/, ''))

/** What a clause asks of x and y. */
export function clauseText(clause: Clause): string {
  const asked = clause.filter(({ attribute }) => attribute !== CHANNEL)
  const said = asked.map(({ attribute, tests }) => {
    const [range] = tests.filter(test => test.op === 'range')
    return range === undefined ? attribute : `${attribute} ${share(range.from)}–${share(range.to)}`
  })
  return said.join(', ')
}

/** Letters of those who want just this, and what it is. */
export function labelOf({ wishes }: Pick<RoutingScene, 'wishes'>, clause: Clause): string {
  const text = clauseText(clause)
  const names = wishes.filter(({ filter }) => filter.$any.some(one => clauseText(one) === text)).map(({ name }) => name)
  return `${names.join(',')}: ${text}`
}

/** How many places the brokers behind a link need below each other. */
function leavesOf(overlaid: Overlaid, id: NodeId, parent: NodeId): number {
  const behind = overlaid.neighbours(id).filter(peer => peer !== parent)
  return behind.length === 0 ? 1 : behind.reduce((sum, peer) => sum + leavesOf(overlaid, peer, id), 0)
}

const linesOf = ({ heard, told, covered }: Side) => Math.max(1, heard.length, told.length + covered.length)

const heightOf = (scene: RoutingScene, side: Side) =>
  Math.max(leavesOf(scene.overlaid, side.peer, scene.shown) * ROW, LINE * (linesOf(side) + 1)) + GAP

/** One broker behind a link, and how far down on the page its own begin. */
interface Branch {
  readonly id: NodeId
  readonly parent: NodeId
  readonly depth: number
  readonly top: number
}

/** Every broker of the branch, from left to right, each in the middle of its own; says where the branch ends. */
function place(overlaid: Overlaid, { id, parent, depth, top }: Branch, into: Map<NodeId, Placed>): number {
  const behind = overlaid.neighbours(id).filter(peer => peer !== parent)
  let below = top
  for (const peer of behind) below = place(overlaid, { id: peer, parent: id, depth: depth + 1, top: below }, into)
  if (behind.length === 0) below += ROW
  const heights = behind.map(peer => into.get(peer)!.at[1])
  const y = behind.length === 0 ? top + ROW / 2 : (heights[0]! + heights.at(-1)!) / 2
  into.set(id, { at: [LEFT + depth * LEVEL, y], parent })
  return below
}

function placed(scene: RoutingScene, tops: readonly number[], bottom: number): Map<NodeId, Placed> {
  const places = new Map<NodeId, Placed>()
  for (const [at, { peer }] of scene.table.entries())
    place(scene.overlaid, { id: peer, parent: scene.shown, depth: 1, top: tops[at]! + LINE }, places)
  places.set(scene.shown, { at: [LEFT, (TOP + bottom) / 2], parent: undefined })
  return places
}

function tree(scene: RoutingScene, places: ReadonlyMap<NodeId, Placed>): string[] {
  const links = [...places.values()].flatMap(({ at, parent }) =>
    parent === undefined ? [] : [line(places.get(parent)!.at, at, 'link')],
  )
  const ways = scene.ways.map(({ from, to }) =>
    arrow(places.get(from)!.at, places.get(to)!.at, {
      kind: 'way',
      radius: RADIUS + 1,
      data: stands('way', `${from}>${to}`),
    }),
  )
  return [...links, ...ways, ...[...places].map(([id, { at }]) => broker(scene, id, at))]
}

function broker({ wishes, shown, author, given }: RoutingScene, id: NodeId, [x, y]: Point): string {
  const own = wishes.filter(({ broker }) => broker === id).map(({ name }) => name)
  const isGiven = given.has(id)
  const said = [own.join(','), id === author ? 'author' : '', id === shown ? 'table' : ''].filter(Boolean).join(' · ')
  const ring = id === shown ? `<circle class="node" cx="${x}" cy="${y}" r="${RADIUS + 4}"/>` : ''
  return [
    ring,
    `<circle class="${isGiven ? 'node has' : 'node'}" cx="${x}" cy="${y}" r="${RADIUS}"${stands('broker', id)}/>`,
    words([x, y + 4], numberOf(id), isGiven ? 'number in' : 'number', 'middle'),
    id === shown ? words([x, y + 30], said, 'head', 'middle') : words([x + RADIUS + 4, y - 6], said, 'head small'),
  ].join('')
}

function tableLines(scene: RoutingScene, { peer, heard, told, covered }: Side, top: number): string[] {
  const entry = (kind: string, x: number, clause: Clause, at: number, style: string) =>
    words([x, top + LINE * (at + 1)], labelOf(scene, clause), style).replace(
      '<text',
      `<text${stands(kind, `${peer} ${clauseText(clause)}`)}`,
    )
  const isMatch = (clause: Clause) => matches({ $any: [clause] }, { ...scene.event, [CHANNEL]: 'lab' })
  const style = (clause: Clause) => (isMatch(clause) ? 'wayly head' : '')
  const goes = scene.ways.some(({ from, to }) => from === scene.shown && to === peer)
  const comes = scene.ways.some(({ from, to }) => to === scene.shown && from === peer)
  const fate = goes ? ': the event goes there' : comes ? ': the event comes from there' : ''
  return [
    line([HEARD - 14, top - 14], [WIDTH - 20, top - 14], 'link'),
    words([HEARD, top], `Link to ${numberOf(peer)}${fate}`, 'head'),
    ...heard.map((clause, at) => entry('heard', HEARD, clause, at, style(clause))),
    ...(heard.length === 0 ? [words([HEARD, top + LINE], 'nothing', 'soft')] : []),
    ...told.map((clause, at) => entry('told', TOLD, clause, at, '')),
    ...covered.map((clause, at) => entry('covered', TOLD, clause, told.length + at, 'soft struck')),
  ]
}

function says({ overlaid, shown, table, author, event, ways, given }: RoutingScene): string {
  const count = (of: (side: Side) => number) => table.reduce((sum, side) => sum + of(side), 0)
  return [
    `${overlaid.names.length} brokers in one tree. Broker ${numberOf(shown)} has ${table.length} links:`,
    `over them it heard ${count(({ heard }) => heard.length)} clauses and told ${count(({ told }) => told.length)};`,
    `${count(({ covered }) => covered.length)} were not told, because a wider one was.`,
    `An event with x ${share(Number(event.x))}, y ${share(Number(event.y))} of broker ${numberOf(author)} took ${ways.length} links`,
    `(${ways.map(({ from, to }) => `${numberOf(from)} to ${numberOf(to)}`).join(', ')})`,
    `where flooding takes ${overlaid.names.length - 1}, and reached all who want it: brokers ${[...given].map(numberOf).join(', ')}.`,
  ].join(' ')
}

export function drawRouting(scene: RoutingScene): Picture {
  const tops: number[] = []
  let bottom = TOP
  for (const side of scene.table) {
    tops.push(bottom)
    bottom += heightOf(scene, side)
  }
  const { event, shown, author, ways, overlaid } = scene
  const point = `x ${share(Number(event.x))}, y ${share(Number(event.y))}`
  return picture({
    name: 'events-routing-table.svg',
    title: `What broker ${numberOf(shown)}, one of ${overlaid.names.length}, knows of each link, and one event’s way`,
    says: says(scene),
    width: WIDTH,
    height: bottom + 8,
    parts: [
      words(
        [20, 48],
        'Letters are subscriptions, at their brokers. Blue: a broker whose users were given the event.',
        'small',
      ),
      words(
        [20, 65],
        `Orange: the way of an event with ${point}, of broker ${numberOf(author)}, over ${ways.length} links (flooding: ${overlaid.names.length - 1}); in the table what holds it.`,
        'small',
      ),
      words([HEARD, 92], 'Wanted behind it (heard)', 'head oursly'),
      words([TOLD, 92], 'Told to it (struck: covered)', 'head oursly'),
      ...tree(scene, placed(scene, tops, bottom)),
      ...scene.table.flatMap((side, at) => tableLines(scene, side, tops[at]!)),
    ],
  })
}

export const routingPicture = (seed: number): Picture => drawRouting(routingScene(seed))
