// The trees over one list of members beside each other: who passes on in which, who swallows, and which ways are left.

import type { NodeId } from '../../../src/core/index.ts'
import type { Picture } from '../../experiment.ts'
import { arrow, cross, line, middle, numberOf, type Point, picture, stands, words } from './drawing.ts'
import { type TreeShown, type TreesScene, treesScene } from './trees-scene.ts'

const WIDTH = 900
const HEIGHT = 400
const TOP = 132
const LEVEL = 84
const RADIUS = 13
const EDGE = 20

const parentOf = (place: number, degree: number) => Math.floor((place - 1) / degree)

/** Leaves from left to right, and everybody else in the middle above its own. */
function placesOf({ places }: TreeShown, degree: number, left: number, width: number): Map<NodeId, Point> {
  const found = new Map<NodeId, Point>()
  const children = (place: number) => places.flatMap((_, at) => (at > 0 && parentOf(at, degree) === place ? [at] : []))
  const leaves = places.filter((_, at) => children(at).length === 0).length
  let next = 0
  const put = (place: number, depth: number): number => {
    const below = children(place).map(child => put(child, depth + 1))
    const x = below.length === 0 ? left + (width * (next++ + 0.5)) / leaves : (below[0]! + below.at(-1)!) / 2
    found.set(places[place]!, [x, TOP + depth * LEVEL])
    return x
  }
  put(0, 0)
  return found
}

function member({ author, liars }: TreesScene, { inner, reached }: TreeShown, id: NodeId, [x, y]: Point): string {
  const [isLiar, has] = [liars.has(id), reached.has(id)]
  const kind = isLiar ? 'node lost' : has ? 'node has' : 'node none'
  const data = stands('member', id)
  const mark = inner.has(id)
    ? `<rect class="${kind}" x="${x - RADIUS}" y="${y - RADIUS}" width="${2 * RADIUS}" height="${2 * RADIUS}"${data}/>`
    : `<circle class="${kind}" cx="${x}" cy="${y}" r="${RADIUS}"${data}/>`
  const said = isLiar ? 'liar' : id === author ? 'author' : ''
  return [
    mark,
    words([x, y + 4], numberOf(id), has && !isLiar ? 'number in' : 'number', 'middle'),
    said === '' ? '' : label(said, isLiar ? 'small badly head' : 'small head', inner.has(id), [x, y]),
  ].join('')
}

/** Beside who has others below, and below a leaf. */
function label(said: string, kind: string, isInner: boolean, [x, y]: Point): string {
  if (isInner) return words([x - RADIUS - 5, y - 3], said, kind, 'end')
  return words([x, y + RADIUS + 14], said, kind, 'middle')
}

function linksOf({ places, ways }: TreeShown, degree: number, at: ReadonlyMap<NodeId, Point>): string[] {
  const said = new Set(ways.flatMap(({ from, to }) => [`${from}>${to}`, `${to}>${from}`]))
  const silent = places.flatMap((id, place) => {
    const parent = places[parentOf(place, degree)]!
    return place === 0 || said.has(`${parent}>${id}`) ? [] : [line(at.get(parent)!, at.get(id)!, 'link none')]
  })
  const shown = ways.map(({ from, to, tree, swallowed }) => {
    const [a, b] = [at.get(from)!, at.get(to)!]
    const data = stands(swallowed ? 'swallowed' : 'way', `${tree} ${from}>${to}`)
    return swallowed
      ? `${line(a, b, 'lost', data)}${cross(middle(a, b))}`
      : arrow(a, b, { kind: 'way', radius: RADIUS + 1, data })
  })
  return [...silent, ...shown]
}

function numbers(ids: Iterable<NodeId>): string {
  return [...ids].map(numberOf).join(', ')
}

function tree(scene: TreesScene, shown: TreeShown, at: number): string[] {
  const width = (WIDTH - 2 * EDGE) / scene.trees.length
  const left = EDGE + at * width
  const places = placesOf(shown, scene.degree, left + 4, width - 16)
  const others = scene.overlaid.names.length - 1
  const swallows = [...scene.liars].filter(id => shown.ways.some(({ from, swallowed }) => swallowed && from === id))
  const fate = swallows.length === 0 ? 'Nobody who passes on here lies.' : `Member ${numbers(swallows)} swallows it.`
  return [
    words([left + 4, TOP - 46], `Tree ${at + 1}: members ${numbers(shown.inner)} pass on`, 'head'),
    words([left + 4, TOP - 28], `${fate} It reaches ${shown.reached.size - 1} of ${others}.`, 'small'),
    ...linksOf(shown, scene.degree, places),
    ...[...places].map(([id, point]) => member(scene, shown, id, point)),
  ]
}

function says({ overlaid, author, liars, trees, given }: TreesScene): string {
  const honest = overlaid.names.filter(id => !liars.has(id))
  const each = trees.map(({ inner, reached }, at) => {
    const missed = honest.filter(id => !reached.has(id))
    const fate = missed.length === 0 ? 'reaches everybody' : `does not reach ${numbers(missed)}`
    return `In tree ${at + 1} members ${numbers(inner)} pass on: it ${fate}.`
  })
  const end = `${honest.filter(id => given.has(id)).length} of ${honest.length} honest members have it.`
  return [`An event of member ${numberOf(author)}; members ${numbers(liars)} swallow events.`, ...each, end].join(' ')
}

function legend(y: number): string[] {
  const at = (x: number) => x + 40
  return [
    `<rect class="node" x="24" y="${y - 8}" width="14" height="14"/>`,
    words([at(6), y + 4], 'passes on in this tree', 'small'),
    `<circle class="node" cx="200" cy="${y}" r="8"/>`,
    words([214, y + 4], 'leaf', 'small'),
    `<circle class="node has" cx="262" cy="${y}" r="8"/>`,
    words([276, y + 4], 'has it by this tree', 'small'),
    `<circle class="node none" cx="402" cy="${y}" r="8"/>`,
    words([416, y + 4], 'has it not by this tree', 'small'),
    arrow([560, y], [596, y], { kind: 'way' }),
    words([604, y + 4], 'the event', 'small'),
    line([676, y], [712, y], 'lost'),
    cross([694, y]),
    words([720, y + 4], 'owed, and swallowed', 'small'),
  ]
}

export function drawTrees(scene: TreesScene): Picture {
  const { overlaid, liars, trees, given } = scene
  const honest = overlaid.names.filter(id => !liars.has(id))
  const have = honest.filter(id => given.has(id)).length
  return picture({
    name: 'events-trees-drawn.svg',
    title: `${trees.length} trees over ${overlaid.names.length} members, and ${liars.size} who swallow events`,
    says: says(scene),
    width: WIDTH,
    height: HEIGHT,
    parts: [
      words(
        [EDGE, 48],
        `Nobody passes on in two trees, so ${liars.size} liars cut ${liars.size} of them. Of all trees together: ${have} of ${honest.length} honest members have the event of member ${numberOf(scene.author)}.`,
        'small',
      ),
      ...trees.flatMap((shown, at) => tree(scene, shown, at)),
      ...legend(HEIGHT - 24),
    ],
  })
}

export const treesPicture = (seed: number): Picture => drawTrees(treesScene(seed))
