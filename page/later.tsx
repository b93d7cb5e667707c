// A view whose script is loaded when it is asked for.

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type ViewProps, viewNamed } from './registry.ts'
import { loadScript } from './scripts.ts'

interface LaterProps extends ViewProps {
  readonly script: string
  /** The view, by the name under which its script registers it. */
  readonly way: string
}

export function Later({ script, way, name, scheme }: LaterProps): JSX.Element {
  const [state, setState] = useState<'loading' | 'here' | string>(viewNamed(way) === undefined ? 'loading' : 'here')
  useEffect(() => {
    if (viewNamed(way) !== undefined) return
    loadScript(script).then(
      () => setState('here'),
      (error: Error) => setState(error.message),
    )
  }, [script, way])
  const Found = viewNamed(way)
  if (Found !== undefined) return <Found name={name} scheme={scheme} />
  return <p role="status">{state === 'loading' || state === 'here' ? 'Loading…' : state}</p>
}
