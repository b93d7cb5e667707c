// The fragment says what is shown: a run, a level, a lesson, or a list. Any text may stand there.

import { decodeRun, type RunSpec } from '../src/simulator/index.ts'
import type { Way } from './frame.tsx'

export type Route =
  | { readonly way: 'run'; readonly spec: RunSpec }
  | { readonly way: 'level'; readonly number: number }
  | { readonly way: 'lesson'; readonly name: string }
  | { readonly way: 'walk'; readonly name: string }
  | { readonly way: 'refused'; readonly refusal: string }
  | { readonly way: Exclude<Way, 'level'>; readonly name?: string }

const LISTS = ['lessons', 'runs', 'zoo', 'explorer', 'experiments'] as const

/** What a fragment asks for; without one, the first level. */
export function routeOf(fragment: string): Route {
  const text = fragment.replace(/^#/, '')
  if (text === '' || text === 'main') return { way: 'level', number: 1 }
  const [head = '', rest = ''] = [text.split('=', 1)[0], text.slice(text.indexOf('=') + 1)]
  if (head === 'level') return { way: 'level', number: Math.min(5, Math.max(1, Math.floor(Number(rest)) || 1)) }
  if (head === 'lesson') return { way: 'lesson', name: rest.slice(0, 80) }
  const list = LISTS.find(name => name === head)
  if (list !== undefined) return text === head ? { way: list } : { way: list, name: rest.slice(0, 80) }
  // One way through what the explorer tries: `v=1&walk=lock.list&go=…`.
  if (/(?:^|&)walk=/.test(text)) return { way: 'walk', name: text }
  const decoded = decodeRun(text)
  return decoded.ok ? { way: 'run', spec: decoded.spec } : { way: 'refused', refusal: decoded.refusal }
}
