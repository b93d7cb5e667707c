// A run that takes longer than a moment is played in a worker, and ended there after its five seconds: the page stays alive. The
// worker keeps the run, and is asked what each node remembered where the reader stands.

import { playAmong } from '../src/play/open.ts'
import { RUN_MS_MAX, Running } from '../src/play/running.ts'
import type { Play, RunSpec } from '../src/simulator/index.ts'
import { dataOf, type Played, type PlayedData } from './played.ts'
import { playgroundNamed, registerTask, type Task } from './registry.ts'
import { helperOf } from './scripts.ts'

/** So long between two looks at what the page wants. */
const SLICE_MS = 100
/** How long a worker may be silent in the middle of one event before it is ended. */
const SILENCE_MS = 2 * RUN_MS_MAX
/** Places whose states are kept here. */
const PLACES_MAX = 64

type States = Readonly<Record<string, string | undefined>>

type Wish = { readonly stop: true } | { readonly look: number }

type Said = { readonly events: number } | { readonly look: number; readonly states: States }

const farRun: Task = async (given, tell, hear) => {
  const spec = given as RunSpec
  const playground = playgroundNamed(spec.run.name)
  const play = playground === undefined ? 'its script is not here.' : playAmong([playground], spec)
  if (typeof play === 'string') throw new Error(play)
  hear(wish => {
    const wanted = wish as Wish
    if ('stop' in wanted) play.stopHere()
    else tell({ look: wanted.look, states: statesAt(play, wanted.look) } satisfies Said)
  })
  const running = new Running(play, () => performance.now())
  while (!running.slice(SLICE_MS)) {
    tell({ events: play.trace.length } satisfies Said)
    await new Promise(resolve => setTimeout(resolve))
  }
  return dataOf(play)
}

export function registerFarRun(): void {
  registerTask('run', farRun)
}

function statesAt(play: Play, place: number): States {
  return Object.fromEntries(play.nodes.map(({ id }) => [id, play.stateAt(place, id)]))
}

export interface FarRun {
  stop(): void
  end(): void
}

interface FarHandlers {
  events(count: number): void
  played(run: Played): void
  failed(): void
}

/** Plays the run of `here` in a worker made of these scripts. It lives until it is ended: it knows the states. */
export function playFar(here: Play, scripts: readonly string[], on: FarHandlers): FarRun {
  const states = new Map<number, States>()
  const waiting = new Map<number, () => void>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const fail = () => {
    end()
    on.failed()
  }
  const quiet = (ms?: number) => {
    clearTimeout(timer)
    if (ms !== undefined) timer = setTimeout(fail, ms)
  }
  const helper = helperOf(scripts, told => {
    if ('failed' in told) return fail()
    if ('done' in told) {
      quiet()
      return on.played(playedOf(told.done as PlayedData))
    }
    const said = told.told as Said
    if ('events' in said) {
      quiet(SILENCE_MS)
      return on.events(said.events)
    }
    states.set(said.look, said.states)
    for (const place of [...states.keys()].slice(0, -PLACES_MAX)) states.delete(place)
    waiting.get(said.look)?.()
    waiting.delete(said.look)
  })
  const end = () => {
    quiet()
    helper.end()
  }
  const playedOf = (data: PlayedData): Played => ({
    ...data,
    stateAt: (index, node) => states.get(index)?.[node],
    vocabularyOf: node => here.vocabularyOf(node),
    has(index, then) {
      const missing = [index - 1, index].filter(place => place >= 0 && !states.has(place))
      for (const place of missing) {
        if (!waiting.has(place)) helper.send({ look: place } satisfies Wish)
        waiting.set(place, then)
      }
      return missing.length === 0
    },
  })
  quiet(SILENCE_MS)
  helper.send({ task: 'run', given: here.spec })
  return { stop: () => helper.send({ stop: true } satisfies Wish), end }
}
