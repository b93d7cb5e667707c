// What the pictures of routing tables, trees and rings have in common: one style, members, arrows, words.

import type { NodeId } from '../../../src/core/index.ts'
import { escapeText } from '../../chart.ts'
import type { Picture } from '../../experiment.ts'

export type Point = readonly [x: number, y: number]

/** A picture as its parts: what it is called, and what it shows for those who do not see it. */
export interface Drawing {
  readonly name: string
  readonly title: string
  readonly says: string
  readonly width: number
  readonly height: number
  readonly parts: readonly string[]
}

const LIGHT = {
  page: '#fff',
  text: '#222',
  soft: '#5c5c5c',
  line: '#8d949b',
  ours: '#0072b2',
  way: '#c44e00',
  bad: '#b30000',
}
const DARK = {
  page: '#16191d',
  text: '#ddd',
  soft: '#a4abb2',
  line: '#767d85',
  ours: '#5fb8ee',
  way: '#ff914d',
  bad: '#ff7b72',
}

function coloured({ page, text, soft, line, ours, way, bad }: typeof LIGHT): string {
  return [
    `.state text{fill:${text};stroke:${page}}.state .page,.state .in{fill:${page}}.state .soft{fill:${soft}}`,
    `.state .badly{fill:${bad}}.state .oursly{fill:${ours}}.state .wayly,.state .tip{fill:${way}}`,
    `.state .node{fill:${page};stroke:${text}}.state .has{fill:${ours};stroke:${ours}}.state .link{stroke:${line}}`,
    `.state .ours{stroke:${ours}}.state .way{stroke:${way}}.state .lost,.state .cross{stroke:${bad}}`,
  ].join('')
}

const STYLE = [
  '<style>',
  '.state text{font:12px system-ui,"Segoe UI",Helvetica,Arial,sans-serif;paint-order:stroke;stroke-width:3px}.state .title{font-size:15px;font-weight:600}',
  '.state .head{font-weight:600}.state .number{font-size:10.5px;font-weight:600;stroke-width:0}.state .small{font-size:11px}',
  '.state path,.state .round{fill:none}.state .link{stroke-width:1.2}.state .ours{stroke-width:2}.state .way{stroke-width:2.4}',
  '.state .lost{stroke-width:2;stroke-dasharray:5 4}.state .again{stroke-width:1.2;stroke-dasharray:2 3}',
  '.state .none{stroke-dasharray:2 3}.state .node{stroke-width:1.4}.state .struck{text-decoration:line-through;stroke-width:0}',
  '.state .cross{stroke-width:2.2}',
  coloured(LIGHT),
  `@media (prefers-color-scheme:dark){${coloured(DARK)}}`,
  '</style>',
].join('\n')

export function picture({ name, title, says, width, height, parts }: Drawing): Picture {
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" class="state" role="img" aria-label="${escapeText(`${title}. ${says}`)}">`,
    STYLE,
    `<rect class="page" width="${width}" height="${height}"/>`,
    words([20, 26], title, 'title'),
    ...parts,
    '</svg>',
    '',
  ].join('\n')
  return { name, svg, says: `${title}. ${says}` }
}

export function words([x, y]: Point, text: string, kind = '', anchor = 'start'): string {
  const where = anchor === 'start' ? '' : ` text-anchor="${anchor}"`
  return `<text${kind === '' ? '' : ` class="${kind}"`} x="${round(x)}" y="${round(y)}"${where}>${escapeText(text)}</text>`
}

/** `broker-12` is 12 in a picture. */
export function numberOf(id: NodeId): string {
  return id.slice(id.lastIndexOf('-') + 1)
}

export function line([ax, ay]: Point, [bx, by]: Point, kind: string, data = ''): string {
  return `<path class="${kind}" d="M${round(ax)} ${round(ay)}L${round(bx)} ${round(by)}"${data}/>`
}

const TIP = 7

export interface Arrow {
  readonly kind: string
  /** It ends before marks of this radius. */
  readonly radius?: number
  /** What it stands for. */
  readonly data?: string
  /** A point that it is bent towards. */
  readonly over?: Point
}

/** From one member to another. */
export function arrow(from: Point, to: Point, { kind, radius = 0, data = '', over }: Arrow): string {
  const bend = over ?? middle(from, to)
  const [a, b] = [toward(from, bend, radius), toward(to, bend, radius + 1)]
  const [dx, dy] = direction(bend, b)
  const foot: Point = [b[0] - dx * TIP, b[1] - dy * TIP]
  const path = `M${round(a[0])} ${round(a[1])}Q${round(bend[0])} ${round(bend[1])} ${round(foot[0])} ${round(foot[1])}`
  const side = (sign: number) => `${round(foot[0] - sign * dy * 4)} ${round(foot[1] + sign * dx * 4)}`
  const tip = `<polygon class="tip" points="${round(b[0])} ${round(b[1])} ${side(1)} ${side(-1)}"/>`
  return `<path class="${kind}" d="${path}"${data}/>${tip}`
}

/** What an arrow or a text stands for, where a test looks for it. */
export function stands(for_: string, what: string): string {
  return ` data-${for_}="${escapeText(what)}"`
}

export function middle([ax, ay]: Point, [bx, by]: Point): Point {
  return [(ax + bx) / 2, (ay + by) / 2]
}

export function toward(from: Point, to: Point, steps: number): Point {
  const [dx, dy] = direction(from, to)
  return [from[0] + dx * steps, from[1] + dy * steps]
}

function direction([ax, ay]: Point, [bx, by]: Point): Point {
  const length = Math.hypot(bx - ax, by - ay) || 1
  return [(bx - ax) / length, (by - ay) / length]
}

export function cross([x, y]: Point, size = 5): string {
  const [l, t, d] = [round(x - size), round(y - size), 2 * size]
  return `<path class="cross" d="M${l} ${t}l${d} ${d}m0 ${-d}l${-d} ${d}"/>`
}

export function round(value: number): number {
  return Math.round(value * 10) / 10
}
