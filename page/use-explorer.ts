// What of a protocol can be explored: its script is loaded first.

import { useEffect, useState } from 'preact/hooks'
import type { Explorer } from '../src/play/explorers/explorer.ts'
import { explorerNamed } from './registry.ts'
import { loadScript } from './scripts.ts'

/** The explorer; a sentence where its script cannot be loaded; nothing while it is. */
export function useExplorer(protocol: string, script: string | undefined): Explorer | string | undefined {
  const [known, setKnown] = useState<Explorer | string | undefined>(() => explorerNamed(protocol))
  useEffect(() => {
    if (script === undefined) return
    loadScript(script).then(
      () => setKnown(explorerNamed(protocol)),
      (error: Error) => setKnown(error.message),
    )
  }, [protocol, script])
  return known
}
