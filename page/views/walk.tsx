// A walk through a small system, from its address: `#v=1&walk=lock.no-drift-factor&go=0.0.2`.

import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { decodeWalk, type WalkSpec, walkAmong } from '../../src/play/explorers/address.ts'
import { explored } from '../catalogue.ts'
import type { ViewProps } from '../registry.ts'
import { useExplorer } from '../use-explorer.ts'
import { ExplorerView } from './explorer.tsx'
import { WalkBench } from './walk-bench.tsx'

/** A walk from its address. */
export function WalkView({ name, scheme }: ViewProps): JSX.Element {
  const spec = useMemo(() => decodeWalk(name ?? ''), [name])
  const entry = typeof spec === 'string' ? undefined : explored.find(each => each.name === spec.protocol)
  const known = useExplorer(entry?.name ?? '', entry?.script)
  if (typeof spec !== 'string' && entry !== undefined && known === undefined) return <p role="status">Loading…</p>
  const refusal = refusalOf(spec, known)
  if (typeof spec === 'string' || refusal !== undefined) {
    return (
      <>
        <p class="notice" role="alert">
          This address cannot be shown: {refusal} Here is the explorer instead.
        </p>
        <ExplorerView name={undefined} scheme={scheme} />
      </>
    )
  }
  return (
    <>
      <div>
        <p>
          <a href={`#explorer=${spec.protocol}:${spec.system}`}>Explore it again</a>
        </p>
        <h1>{entry!.title}, step by step</h1>
        <p class="soft">
          {spec.system.replaceAll('-', ' ')}: a system so small that every schedule of it can be tried, and one of them.
        </p>
      </div>
      <WalkBench key={name} first={spec} scheme={scheme} />
    </>
  )
}

function refusalOf(spec: WalkSpec | string, known: ReturnType<typeof useExplorer>): string | undefined {
  if (typeof spec === 'string') return spec
  if (typeof known === 'string') return known
  const walk = walkAmong(known === undefined ? [] : [known], spec)
  return typeof walk === 'string' ? walk : undefined
}
