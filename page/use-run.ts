// The run that a view shows: its spec, what was done to it, and the way back.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { playAmong } from '../src/play/open.ts'
import { Running } from '../src/play/running.ts'
import { encodeRun, type Playground, type RunSpec } from '../src/simulator/index.ts'
import { scriptOf } from './catalogue.ts'
import { type FarRun, playFar } from './far.ts'
import type { Played } from './played.ts'
import { playgroundNamed } from './registry.ts'
import { loadScript } from './scripts.ts'
import { type Session, sessionOf } from './session.ts'

export interface Run {
  /** The run; a sentence where it cannot be; nothing while its script is loaded. */
  readonly session: Session | string | undefined
  /** A run that takes longer than a moment, while it runs; until then the one before it is shown. */
  readonly going: Going | undefined
  readonly canUndo: boolean
  /** How often the spec was changed. */
  readonly changes: number
  set(spec: RunSpec): void
  undo(): void
  /** Goes to a place of the run. */
  look(at: number): void
  reset(spec: RunSpec): void
}

const UNDO_MAX = 200

export function useRun(first: RunSpec): Run {
  const [past, setPast] = useState<readonly RunSpec[]>([])
  const [spec, setSpec] = useState(first)
  const playground = usePlayground(spec.run.name)
  const { session, going } = useSession(spec, playground)
  const show = (next: RunSpec) => {
    setSpec(next)
    // Without a jump, and without a new view: the address of what is seen.
    history.replaceState(null, '', `#${encodeRun(next)}`)
  }
  return {
    session,
    going,
    canUndo: past.length > 0,
    changes: past.length,
    set: next => {
      setPast([...past.slice(-UNDO_MAX), spec])
      show(next)
    },
    undo: () => {
      const before = past.at(-1)
      if (before === undefined) return
      setPast(past.slice(0, -1))
      show(before)
    },
    look: at => setSpec({ ...spec, at }),
    reset: next => {
      setPast([])
      show(next)
    },
  }
}

export interface Going {
  readonly events: number
  stop(): void
}

/** Nobody notices so long, and it needs no second picture. */
const FIRST_MS = 250

/** What a worker says of the run that it plays. */
interface Far {
  readonly of: Running
  readonly events: number
  readonly played?: Played
}

/** Plays a run: at once where that takes a moment, else in a worker. */
function useSession(spec: RunSpec, playground: Playground | string | undefined): Pick<Run, 'session' | 'going'> {
  const running = useMemo(() => begun(spec, playground), [playground, spec])
  const shown = useRef<Session | undefined>(undefined)
  const [said, setFar] = useState<Far | undefined>(undefined)
  const worker = useRef<FarRun | undefined>(undefined)
  useEffect(() => {
    if (!(running instanceof Running) || running.ended) return
    const script = scriptOf(running.play.spec.run.name)
    const far = playFar(running.play, script === undefined ? [] : [script], {
      events: events => setFar({ of: running, events }),
      played: played => setFar({ of: running, events: played.trace.length, played }),
      failed: () => {
        // What was reached here is shown.
        running.play.stopHere()
        setFar({ of: running, events: running.play.trace.length })
      },
    })
    worker.current = far
    return far.end
  }, [running])
  const far = said?.of === running ? said : undefined
  const played = running instanceof Running && running.ended ? running.play : far?.played
  const session = useMemo(
    () => (played === undefined ? undefined : sessionOf(played, playground as Playground)),
    [played, playground],
  )
  if (running === undefined || typeof running === 'string') return { session: running, going: undefined }
  if (session !== undefined) {
    shown.current = session
    return { session, going: undefined }
  }
  const before = shown.current?.spec.run.name === spec.run.name ? shown.current : undefined
  const events = far?.events ?? running.play.trace.length
  return { session: before, going: { events, stop: () => worker.current?.stop() } }
}

function begun(spec: RunSpec, playground: Playground | string | undefined): Running | string | undefined {
  if (playground === undefined || typeof playground === 'string') return playground
  const play = playAmong([playground], spec)
  if (typeof play === 'string') return play
  const running = new Running(play, () => performance.now())
  running.slice(FIRST_MS)
  return running
}

/** The playground of this name; its script is loaded where it has one of its own. */
export function usePlayground(name: string): Playground | string | undefined {
  const [found, setFound] = useState<Playground | string | undefined>(() => playgroundNamed(name))
  useEffect(() => {
    const known = playgroundNamed(name)
    if (known !== undefined) return setFound(known)
    const script = scriptOf(name)
    if (script === undefined) return setFound(`There is nothing to play called “${name}”.`)
    setFound(undefined)
    loadScript(script).then(
      () => setFound(playgroundNamed(name) ?? `There is nothing to play called “${name}”.`),
      (error: Error) => setFound(error.message),
    )
  }, [name])
  return found
}
