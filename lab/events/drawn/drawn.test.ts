// The pictures of tables, trees and rings show what the machines that ship remember and sent, and nothing else.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { experiments } from '../../index.ts'
import { eventExperiments } from '../index.ts'
import { drawRing } from './ring-picture.ts'
import { nextOf, ringScene } from './ring-scene.ts'
import { clauseText, drawRouting, labelOf } from './routing-picture.ts'
import { routingScene } from './routing-scene.ts'
import { drawTrees } from './trees-picture.ts'
import { treesScene } from './trees-scene.ts'

const SEEDS = [1, 2, 3]
const text = (words: string) => words.replaceAll('&', '&amp;').replaceAll('>', '&gt;')

/** What stands under a name in a picture, in order. */
function standing(svg: string, name: string): string[] {
  const found = [...svg.matchAll(new RegExp(` data-${name}="([^"]*)"`, 'g'))]
  return found.map(([, what]) => what!.replaceAll('&gt;', '>').replaceAll('&amp;', '&'))
}

describe.each(SEEDS)('the routing table of seed %i', seed => {
  const scene = routingScene(seed)
  const { svg, says } = drawRouting(scene)
  const { overlaid, shown, wishes, event, author } = scene
  const links = overlaid.linksOf(shown)

  it('has every clause that a link heard and was told of, and no other', () => {
    const heard = links.flatMap(({ peer, heard }) => [...heard.values()].map(clause => `${peer} ${clauseText(clause)}`))
    const told = links.flatMap(({ peer, told }) =>
      [...told.values()].map(({ clause }) => `${peer} ${clauseText(clause)}`),
    )
    expect(standing(svg, 'heard').sort()).toEqual(heard.sort())
    expect(standing(svg, 'told').sort()).toEqual(told.sort())
    for (const { heard } of links)
      for (const clause of heard.values()) expect(svg).toContain(text(labelOf(scene, clause)))
  })
  it('strikes each wish from elsewhere that a link was not told of', () => {
    const struck = links.flatMap(({ peer, heard, told }) => {
      const said = new Set([...heard.values(), ...[...told.values()].map(({ clause }) => clause)].map(clauseText))
      const texts = new Set(wishes.map(({ filter }) => clauseText(filter.$any[0]!)))
      // Wishes that are behind the link itself are heard there, or covered by what is.
      const away = new Set(
        wishes.filter(({ broker }) => !isBehind(broker, peer)).map(({ filter }) => clauseText(filter.$any[0]!)),
      )
      return [...texts]
        .filter(one => away.has(one) && !said.has(one) && reaches(one, peer))
        .map(one => `${peer} ${one}`)
    })
    expect(standing(svg, 'covered').sort()).toEqual(struck.sort())
  })
  it('shows every link of the event’s way, by which all who want it are reached', () => {
    expect(standing(svg, 'way')).toEqual(scene.ways.map(({ from, to }) => `${from}>${to}`))
    const wanting = wishes.filter(({ filter }) => {
      const [x, y] = ['x', 'y'].map(name => filter.$any[0]!.find(({ attribute }) => attribute === name)!.tests[0]!)
      return [x, y].every((test, at) => {
        const value = Number(Object.values(event)[at])
        return test?.op === 'range' && value >= test.from && value <= test.to
      })
    })
    const reached = new Set([author, ...scene.ways.map(({ to }) => to)])
    expect([...scene.given].sort()).toEqual([...new Set(wanting.map(({ broker }) => broker))].sort())
    expect([...scene.given].filter(broker => !reached.has(broker))).toEqual([])
    expect(standing(svg, 'broker').sort()).toEqual([...overlaid.names].sort())
    expect(says).toContain(`${scene.ways.length} links`)
  })

  function isBehind(broker: string, peer: string, from = shown): boolean {
    return broker === peer || overlaid.neighbours(peer).some(next => next !== from && isBehind(broker, next, peer))
  }

  /** Some other neighbour said it, or it is the broker's own: what a broker further away kept back is not struck here. */
  function reaches(one: string, peer: string): boolean {
    const own = wishes.some(({ broker, filter }) => broker === shown && clauseText(filter.$any[0]!) === one)
    const heard = links.filter(link => link.peer !== peer).flatMap(link => [...link.heard.values()].map(clauseText))
    return own || heard.includes(one)
  }
})

describe.each(SEEDS)('the trees of seed %i', seed => {
  const scene = treesScene(seed)
  const { svg } = drawTrees(scene)

  it('have every copy that was sent, and every one that was swallowed', () => {
    const name = ({ from, to, tree }: { from: string; to: string; tree: number }) => `${tree} ${from}>${to}`
    const ways = scene.overlaid.ways
    expect(standing(svg, 'way').sort()).toEqual(
      ways
        .filter(({ swallowed }) => !swallowed)
        .map(name)
        .sort(),
    )
    expect(standing(svg, 'swallowed').sort()).toEqual(
      ways
        .filter(({ swallowed }) => swallowed)
        .map(name)
        .sort(),
    )
    expect(ways.filter(({ swallowed, from }) => swallowed !== scene.liars.has(from))).toEqual([])
    expect(ways.some(({ swallowed }) => swallowed)).toBe(true)
  })
  it('have nobody who passes on in two, and everybody in each; together they reach all honest ones', () => {
    const inner = scene.trees.flatMap(({ inner }) => [...inner])
    expect(new Set(inner).size).toBe(inner.length)
    for (const { inner, ways } of scene.trees)
      for (const { from, to } of ways) expect(inner.has(from) || inner.has(to)).toBe(true)
    expect(standing(svg, 'member')).toHaveLength(scene.trees.length * scene.overlaid.names.length)
    const honest = scene.overlaid.names.filter(id => !scene.liars.has(id))
    expect(honest.filter(id => !scene.given.has(id))).toEqual([])
    expect(scene.trees.some(({ reached }) => honest.some(id => !reached.has(id)))).toBe(true)
  })
})

describe('the ring', () => {
  const scene = ringScene(1)
  const { svg } = drawRing(scene)
  const { crowd, wanting, steps, event } = scene

  it('has every member, the links that those who want the event know, and every message', () => {
    expect(standing(svg, 'member').sort()).toEqual([...crowd.names].sort())
    const links = wanting.flatMap(id => nextOf(crowd, id, event).map(peer => [id, peer].sort().join('>')))
    expect(standing(svg, 'link').sort()).toEqual([...new Set(links)].sort())
    expect(standing(svg, 'way')).toEqual(steps.map(({ from, to, leg }) => `${from}>${to} ${leg}`))
  })
  it('begins with who does not want it, goes both ways round, and reaches all who do', () => {
    expect(steps[0]!.leg).toBe('entry')
    expect(steps[0]!.from).toBe(scene.author)
    expect([...scene.given].sort()).toEqual([...wanting].sort())
    const entry = steps.find(({ leg }) => leg !== 'entry')!.from
    const sides = steps.filter(({ from, leg }) => from === entry && leg === 'ring').map(({ to }) => to)
    expect(sides.sort()).toEqual([...nextOf(crowd, entry, event)].sort())
  })
})

describe('experiments that draw their machines', () => {
  const drawing = experiments.filter(({ draw }) => draw !== undefined)
  const results = new URL('../../../page/data/results.json', import.meta.url)

  it('are these three, each with one picture and words for it', () => {
    expect(drawing.map(({ name }) => name).sort()).toEqual(['events-routing', 'events-trees', 'sub-2-sub'])
    expect(eventExperiments.filter(({ draw }) => draw !== undefined)).toEqual(drawing)
  })
  it('draw the same for the same seed, and what the page shows (node page/write-results.mjs)', () => {
    const shown = JSON.parse(readFileSync(results, 'utf8')) as { name: string; pictures?: unknown }[]
    for (const { name, draw } of drawing) {
      const pictures = draw!(1)
      expect(pictures.map(({ svg, says }) => [svg.startsWith('<svg '), says!.length > 100])).toEqual([[true, true]])
      expect(shown.find(report => report.name === name)?.pictures).toEqual(pictures)
    }
  })
})
