// Members on the ring by their places, the links of those who want one event, and its way.

import type { NodeId } from '../../../src/core/index.ts'
import type { Picture } from '../../experiment.ts'
import { arrow, line, middle, numberOf, type Point, picture, round, stands, toward, words } from './drawing.ts'
import { type RingScene, ringScene, type Step } from './ring-scene.ts'

const WIDTH = 860
const HEIGHT = 640
const CENTRE: Point = [300, 352]
const RING = 232
const RADIUS = 6
const PANEL = 600
const LINE = 16

/** Clockwise from the top. */
function at(place: number, radius = RING): Point {
  const angle = 2 * Math.PI * place - Math.PI / 2
  return [CENTRE[0] + radius * Math.cos(angle), CENTRE[1] + radius * Math.sin(angle)]
}

/** Names that stand too near to the one before are written further out. */
const NEAR = 0.014
const STEP_OUT = 20

function members(scene: RingScene): string[] {
  let [last, out] = [-1, 0]
  const named = new Set([scene.author, ...scene.wanting, ...scene.steps.map(({ to }) => to)])
  const inOrder = [...scene.places].sort((one, other) => one[1] - other[1])
  const dots = (isNamed: boolean) => inOrder.filter(([id]) => named.has(id) === isNamed).map(one => dot(scene, one))
  const names = inOrder.map(([id, place]) => {
    if (!named.has(id)) return ''
    out = place - last < NEAR ? out + 1 : 0
    last = place
    return name(scene, id, at(place, RING + 18 + (out % 3) * STEP_OUT))
  })
  return [...dots(false), ...dots(true), ...names.filter(Boolean)]
}

function dot({ wanting, given }: RingScene, [id, place]: readonly [NodeId, number]): string {
  const [x, y] = at(place).map(round)
  const wants = wanting.includes(id)
  const kind = given.includes(id) ? 'node has' : 'node'
  return `<circle class="${kind}" cx="${x}" cy="${y}" r="${wants ? RADIUS : 3}"${stands('member', id)}/>`
}

function name({ author, wanting }: RingScene, id: NodeId, [x, y]: Point): string {
  const kind = id === author ? 'wayly head' : wanting.includes(id) ? 'oursly head' : 'head'
  return words([x, y + 4], numberOf(id), kind, 'middle')
}

function links({ next, places }: RingScene): string[] {
  const said = new Set<string>()
  return [...next].flatMap(([id, peers]) =>
    peers.flatMap(peer => {
      const name = [id, peer].sort().join('>')
      if (said.has(name)) return []
      said.add(name)
      return [line(at(places.get(id)!), at(places.get(peer)!), 'ours', stands('link', name))]
    }),
  )
}

function way({ places, wanting }: RingScene, { from, to, leg, first }: Step): string {
  const [a, b] = [at(places.get(from)!), at(places.get(to)!)]
  // Bent to the middle, so that it does not lie on the link that it goes over.
  const bend = toward(middle(a, b), CENTRE, Math.min(26, Math.hypot(b[0] - a[0], b[1] - a[1]) / 5))
  const radius = wanting.includes(to) ? RADIUS + 2 : RADIUS
  const data = stands('way', `${from}>${to} ${leg}`)
  return arrow(a, b, { kind: first ? 'way' : 'way again', radius, data, over: bend })
}

const LEGS = { entry: 'towards who wants it', ring: 'next on the ring', across: 'across' } as const

function list({ steps }: RingScene, top: number): string[] {
  return steps.map(({ from, to, leg, first }, place) =>
    words(
      [PANEL, top + LINE * place],
      `${place + 1}. ${numberOf(from)} → ${numberOf(to)}: ${LEGS[leg]}${first ? '' : ' (has it)'}`,
      first ? 'small' : 'small soft',
    ),
  )
}

function legend(top: number): string[] {
  const sign = (row: number, mark: string, text: string) => [
    mark,
    words([PANEL + 44, top + 20 * row + 4], text, 'small'),
  ]
  const y = (row: number) => top + 20 * row
  return [
    ...sign(
      0,
      `<circle class="node has" cx="${PANEL + 16}" cy="${y(0)}" r="${RADIUS}"/>`,
      'wants the event, and has it',
    ),
    ...sign(1, `<circle class="node" cx="${PANEL + 16}" cy="${y(1)}" r="3.5"/>`, 'does not want it'),
    ...sign(2, line([PANEL, y(2)], [PANEL + 34, y(2)], 'ours'), 'next to each other of those who do'),
    ...sign(3, arrow([PANEL, y(3)], [PANEL + 34, y(3)], { kind: 'way' }), 'the event, where it came first'),
    ...sign(4, arrow([PANEL, y(4)], [PANEL + 34, y(4)], { kind: 'way again' }), 'a copy more'),
  ]
}

const numbers = (ids: readonly NodeId[]) => ids.map(numberOf).join(', ')

function says({ crowd, event, author, wanting, steps, given }: RingScene): string {
  const way = steps.filter(({ first }) => first).map(({ from, to }) => `${numberOf(from)} to ${numberOf(to)}`)
  return [
    `${crowd.names.length} members stand on the ring by the hash of their names.`,
    `An event with x ${event.x} of member ${numberOf(author)} is wanted by ${wanting.length}, in the order of the ring: ${numbers(wanting)}.`,
    `It went ${way.join(', ')}, and ${steps.length - way.length} times to one that had it.`,
    `${given.length} of ${wanting.length} have it.`,
  ].join(' ')
}

export function drawRing(scene: RingScene): Picture {
  const { crowd, event, author, wanting, steps, given } = scene
  return picture({
    name: 'sub-2-sub-ring.svg',
    title: `The ring of those who want one event, of ${crowd.names.length} members that gossip by interest`,
    says: says(scene),
    width: WIDTH,
    height: Math.max(HEIGHT, 250 + LINE * steps.length),
    parts: [
      words(
        [20, 48],
        `After 20 rounds. x = ${event.x}, of member ${numberOf(author)} (orange): ${given.length} of the ${wanting.length} who want it have it, after ${steps.length} messages.`,
        'small',
      ),
      words([20, 65], 'Places are hashes of names: nobody chooses its own.', 'small'),
      `<circle class="link round" cx="${CENTRE[0]}" cy="${CENTRE[1]}" r="${RING}"/>`,
      ...links(scene),
      ...steps.map(step => way(scene, step)),
      ...members(scene),
      ...legend(100),
      words([PANEL, 218], 'Every message, in order', 'head'),
      ...list(scene, 218 + LINE + 4),
    ],
  })
}

export const ringPicture = (seed: number): Picture => drawRing(ringScene(seed))
