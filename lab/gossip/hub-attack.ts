// LECTURE, "Secure gossiping": 100,000 nodes, lists of 30, 30 attackers; and the solution by gathering statistics.

import { lineChart, type Series } from '../chart.ts'
import { type Experiment, type Picture, type Row, type RunOptions, row, type Scale } from '../experiment.ts'
import { Brahms } from './brahms.ts'
import { Chance } from './chance.ts'
import { HubAttack, suspicionThreshold } from './hub.ts'
import { type Rule, Views } from './views.ts'

interface Situation {
  readonly size: number
  readonly length: number
  readonly attackers: number
}

const SITUATION: Record<Scale, Situation> = {
  small: { size: 1_500, length: 20, attackers: 20 },
  full: { size: 100_000, length: 30, attackers: 30 },
}
/** The lecture: "after less than 300 rounds, the attackers have full control". */
const LECTURE_ROUNDS = 300
const CONTROL = 0.999
/** Newest decides within a few dozen rounds; the others are given the lecture's time. */
const ROUNDS: Record<Scale, Record<Rule, number>> = {
  small: { newest: 80, 'swap-random': 100, 'swap-oldest': 100, half: 100, blind: 100 },
  full: { newest: 100, 'swap-random': 300, 'swap-oldest': 300, half: 300, blind: 300 },
}
const ATTACKED: readonly Rule[] = ['newest', 'swap-random', 'half']
const DEFENDED: readonly Rule[] = ['newest', 'swap-random']
const BRAHMS = {
  small: { size: 1_000, view: 20, samplers: 20, attackers: 10, rounds: 30 },
  full: { size: 10_000, view: 30, samplers: 30, attackers: 30, rounds: 60 },
}

export interface Curve {
  readonly rule: Rule
  readonly defended: boolean
  readonly captured: readonly number[]
  readonly links: readonly number[]
  readonly falseSuspicions: number
}

export function attackCurve(of: Situation, rule: Rule, defended: boolean, rounds: number, chance: Chance): Curve {
  const views = new Views(of.size, of.length, rule, chance.fork(1))
  const attack = new HubAttack(views, { attackers: of.attackers, defended }, chance.fork(2))
  const captured = [0]
  const links = [attack.measure().links]
  for (let round = 1; round <= rounds; round++) {
    attack.runRound()
    const measured = attack.measure()
    captured.push(measured.captured)
    links.push(measured.links)
  }
  return { rule, defended, captured, links, falseSuspicions: attack.falseSuspicions }
}

export const hubAttack: Experiment = {
  name: 'hub-attack',
  title: 'A few nodes that show only each other take over the lists of all, unless statistics tell them apart.',
  source: 'LECTURE, "Secure gossiping", "A solution: gathering statistics"',
  run({ scale, seed, progress }: RunOptions) {
    const situation = SITUATION[scale]
    const chance = new Chance(seed, 0x4b)
    const plan = [
      ...ATTACKED.map(rule => ({ rule, defended: false })),
      ...DEFENDED.map(rule => ({ rule, defended: true })),
    ]
    const curves = plan.map(({ rule, defended }, at) => {
      progress(at / (plan.length + 1), `${rule}${defended ? ', defended' : ''}`)
      return attackCurve(situation, rule, defended, ROUNDS[scale][rule], chance.fork(at))
    })
    progress(0.95, 'Brahms')
    const rows = [...curves.flatMap(curve => curveRows(curve, situation)), ...brahmsRows(scale, chance)]
    return { rows, pictures: pictures(curves, situation), notes: notes(situation) }
  },
}

function curveRows(curve: Curve, of: Situation): Row[] {
  const { rule, defended, captured, links, falseSuspicions } = curve
  const what = `${rule}${defended ? ', statistics' : ''}`
  const rounds = captured.length - 1
  const last = row(`${what}: links only to attackers after ${rounds} rounds`, captured.at(-1)!, null, null, 'of nodes')
  const most = row(`${what}: most nodes with links only to attackers`, Math.max(...captured), null, null, 'of nodes')
  const share = row(`${what}: links to attackers after ${rounds} rounds`, links.at(-1)!, null, null, 'of links')
  if (!defended && rule === 'newest') return [controlRow(what, captured), last, share]
  if (!defended) return [last, share]
  const accused = falseSuspicions / (of.size - of.attackers)
  return [
    last,
    most,
    share,
    row(`${what}: honest nodes that an honest node came to suspect`, accused, null, null, 'a node'),
    sinkingRow(what, links),
  ]
}

function controlRow(what: string, captured: readonly number[]): Row {
  const round = captured.findIndex(share => share >= CONTROL)
  const measured = round < 0 ? Number.POSITIVE_INFINITY : round
  const named = `${what}: full control (99.9 %) at round, the lecture says below`
  return { what: named, expected: LECTURE_ROUNDS, measured, tolerance: null, within: measured < LECTURE_ROUNDS }
}

// Suspicion must win: what the attackers had at their best they do not keep.
function sinkingRow(what: string, links: readonly number[]): Row {
  const best = Math.max(...links)
  const measured = links.at(-1)! / best
  const named = `${what}: links to attackers in the end, of the most they had: below`
  return { what: named, expected: 0.5, measured, tolerance: null, within: measured < 0.5 }
}

function brahmsRows(scale: Scale, chance: Chance): Row[] {
  const { rounds, ...options } = BRAHMS[scale]
  const brahms = new Brahms(options, chance.fork(77))
  for (let round = 0; round < rounds; round++) brahms.runRound()
  const fair = options.attackers / options.size
  const inSamples = brahms.caught(brahms.samples, options.samplers)
  const what = `Brahms, N = ${options.size}`
  const count = (options.size - options.attackers) * options.samplers
  // A sampler that has seen everybody holds anybody with the same chance; those that have not lean to the attackers,
  // who are seen first. Twice their share is the most that is let pass, and five deviations.
  const tolerance = fair + 5 * Math.sqrt(fair / count)
  return [
    row(`${what}: links to attackers after ${rounds} rounds`, brahms.caught(brahms.views, options.view), null, null),
    row(`${what}: samples that are attackers; their share of all nodes`, inSamples, fair, tolerance),
  ]
}

function notes({ size, length, attackers }: Situation): string[] {
  const times = suspicionThreshold(size, Math.floor(length / 2))
  return [
    `N = ${size}, c = ${length}, ${attackers} attackers, which start one exchange a round each, with honest nodes ` +
      'drawn at random, and show only each other.',
    'The lecture does not say what a node keeps after an exchange, and everything depends on it. With `newest` ' +
      '(Newscast: keep the c newest) its sentence holds, and the attack is far quicker than its curve. With a swap ' +
      'of c/2 references (Cyclon) honest references are not lost between honest nodes, and the attack stops at about ' +
      'half of all links; with `half` (copies, random ones forgotten) it creeps on.',
    `The defence: half of the exchanges that a node starts are for statistics; a reference seen in ${times} of the ` +
      'last 10 of them is a suspect. Nodes that were captured before their first statistics have nobody else left to ' +
      'ask, and stay captured.',
    'Not tried: attackers that behave in some exchanges. The lecture’s point is that they must behave in so many ' +
      'that they gain nothing.',
  ]
}

function pictures(curves: readonly Curve[], of: Situation): Picture[] {
  const points = (values: readonly number[]): Series['points'] => values.map((value, round) => [round, value] as const)
  const name = (curve: Curve) => `${curve.rule}${curve.defended ? ', statistics' : ''}`
  const chart = (title: string, label: string, pick: (curve: Curve) => readonly number[]) =>
    lineChart({
      title,
      x: { label: 'round', min: 0 },
      y: { label, min: 0, max: 1 },
      series: curves.map(curve => ({ name: name(curve), points: thin(points(pick(curve))) })),
    })
  const where = `N = ${of.size}, c = ${of.length}, ${of.attackers} attackers`
  return [
    {
      name: 'hub-attack.svg',
      svg: chart(`Hub attack: ${where}`, 'nodes with links only to attackers', curve => curve.captured),
    },
    { name: 'hub-attack-links.svg', svg: chart(`Hub attack: ${where}`, 'links to attackers', curve => curve.links) },
  ]
}

/** Every round at first, then every tenth: marks should not cover each other. */
function thin(points: Series['points']): Series['points'] {
  return points.filter(([round]) => round <= 20 || round % 10 === 0)
}
