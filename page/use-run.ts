// The run that a view shows: its spec, what was done to it, and the way back.

import { useEffect, useMemo, useState } from 'preact/hooks'
import { encodeRun, type Playground, type RunSpec } from '../src/simulator/index.ts'
import { scriptOf } from './catalogue.ts'
import { playgroundNamed } from './registry.ts'
import { loadScript } from './scripts.ts'
import { openSession, type Session } from './session.ts'

export interface Run {
  /** The run; a sentence where it cannot be; nothing while its script is loaded. */
  readonly session: Session | string | undefined
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
  const session = useMemo(
    () => (playground === undefined || typeof playground === 'string' ? playground : openSession(spec, playground)),
    [playground, spec],
  )
  const show = (next: RunSpec) => {
    setSpec(next)
    // Without a jump, and without a new view: the address of what is seen.
    history.replaceState(null, '', `#${encodeRun(next)}`)
  }
  return {
    session,
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
