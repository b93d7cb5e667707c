// What can be played, by name. The first script brings the locks; each further protocol is a script of its own that
// registers itself here when it is loaded.

import type { ComponentType } from 'preact'
import type { Explorer } from '../src/play/explorers/explorer.ts'
import type { Playground } from '../src/simulator/index.ts'

const known = new Map<string, Playground>()

export function register(...playgrounds: readonly Playground[]): void {
  for (const playground of playgrounds) known.set(playground.name, playground)
}

export function playgroundNamed(name: string): Playground | undefined {
  return known.get(name)
}

/** Work that a page gives to its worker, by name; a script brings its own. */
export type Task = (
  given: unknown,
  tell: (told: unknown) => void,
  /** What the page says while the task runs, and after it. */
  hear: (heard: (wish: unknown) => void) => void,
) => unknown

const tasks = new Map<string, Task>()

export function registerTask(name: string, task: Task): void {
  tasks.set(name, task)
}

export function taskNamed(name: string): Task | undefined {
  return tasks.get(name)
}

/** What of a protocol can be explored; its script brings it, for the page and for the worker. */
const explorers = new Map<string, Explorer>()

export function registerExplorer(explorer: Explorer): void {
  explorers.set(explorer.protocol, explorer)
  registerTask(`explore ${explorer.protocol}`, (name, progress) =>
    explorer.explore(name as string, states => progress({ states })),
  )
}

export function explorerNamed(protocol: string): Explorer | undefined {
  return explorers.get(protocol)
}

export interface ViewProps {
  /** What the address says after the view's name. */
  readonly name: string | undefined
  readonly scheme: string
}

/** Views that a script of their own brings. */
const views = new Map<string, ComponentType<ViewProps>>()

export function registerView(name: string, view: ComponentType<ViewProps>): void {
  views.set(name, view)
}

export function viewNamed(name: string): ComponentType<ViewProps> | undefined {
  return views.get(name)
}

/** Data that a script of its own brings: a page from a disk can load scripts, and nothing else. */
const data = new Map<string, unknown>()

export function publish(name: string, value: unknown): void {
  data.set(name, value)
}

export function published<Value>(name: string): Value | undefined {
  return data.get(name) as Value | undefined
}
