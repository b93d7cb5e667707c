// What every node remembers at the cursor, as a tree; what the last event changed is marked, with what was there before.

import type { JSX } from 'preact'

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

interface NodeState {
  readonly id: string
  readonly role: string
  readonly liar: boolean
  /** JSON; empty where it does not run; nothing before it was there. */
  readonly now: string | undefined
  readonly before: string | undefined
}

/** Deeper or longer is not shown: the address replays it in a debugger. */
const DEPTH_MAX = 5
const ITEMS_MAX = 40
const LETTERS_MAX = 160

export function States({ nodes, touched }: { nodes: readonly NodeState[]; touched: string | undefined }): JSX.Element {
  return (
    <div class="nodes">
      {nodes.map(node => (
        <section
          key={node.id}
          class={`node ${node.id === touched ? 'touched' : ''} ${node.liar ? 'liar' : ''}`}
          aria-label={`State of ${node.id}`}
        >
          <h3>
            {node.id} <span>{node.role}</span>
          </h3>
          {node.now === undefined ? <p class="soft small">not there yet</p> : undefined}
          {node.now === '' ? <p class="soft small">down: it remembers what its disk holds</p> : undefined}
          {node.now ? <Tree value={parse(node.now)} before={parse(node.before)} depth={0} /> : undefined}
        </section>
      ))}
    </div>
  )
}

function parse(text: string | undefined): Json | undefined {
  if (!text) return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

const isTree = (value: Json | undefined): value is readonly Json[] | { readonly [name: string]: Json } =>
  typeof value === 'object' && value !== null

function Tree({
  value,
  before,
  depth,
}: {
  value: Json | undefined
  before: Json | undefined
  depth: number
}): JSX.Element {
  if (!isTree(value)) return <Leaf value={value} before={before} known={before !== undefined} />
  const old = isTree(before) ? (before as { readonly [name: string]: Json }) : undefined
  const entries = Object.entries(value as { readonly [name: string]: Json })
  const gone = old === undefined ? [] : Object.keys(old).filter(name => !(name in (value as object)))
  return (
    <dl class="tree">
      {entries.slice(0, ITEMS_MAX).map(([name, item]) => (
        <Branch key={name} name={name} value={item} before={old?.[name]} depth={depth} fresh={old !== undefined} />
      ))}
      {gone.map(name => (
        <div key={name} class="changed">
          <dt>{name}: </dt>
          <dd class="was">{brief(old![name])}</dd>
        </div>
      ))}
      {entries.length > ITEMS_MAX ? <div class="soft">and {entries.length - ITEMS_MAX} more</div> : undefined}
    </dl>
  )
}

interface BranchProps {
  readonly name: string
  readonly value: Json
  readonly before: Json | undefined
  readonly depth: number
  /** There was a state before: what is not in it is new. */
  readonly fresh: boolean
}

function Branch({ name, value, before, depth, fresh }: BranchProps): JSX.Element {
  const empty = isTree(value) && Object.keys(value).length === 0
  const deep = isTree(value) && !empty && depth < DEPTH_MAX
  const changed = fresh && JSON.stringify(value) !== JSON.stringify(before)
  if (!deep) {
    return (
      <div class={changed ? 'changed' : ''}>
        <dt>{name}: </dt>
        <dd>
          <Leaf value={value} before={before} known={fresh} />
        </dd>
      </div>
    )
  }
  return (
    <div>
      <dt>{name}:</dt>
      <dd>
        <Tree value={value} before={fresh ? (before ?? {}) : undefined} depth={depth + 1} />
      </dd>
    </div>
  )
}

function Leaf({
  value,
  before,
  known,
}: {
  value: Json | undefined
  before: Json | undefined
  known: boolean
}): JSX.Element {
  const changed = known && JSON.stringify(value) !== JSON.stringify(before)
  return (
    <>
      {changed && before !== undefined ? <span class="was">{brief(before)}</span> : undefined}
      {changed && before !== undefined ? ' ' : undefined}
      {changed ? <b>{brief(value)}</b> : brief(value)}
      {changed ? <span class="unseen"> (changed)</span> : undefined}
    </>
  )
}

function brief(value: Json | undefined): string {
  if (value === undefined) return '–'
  if (Array.isArray(value) && value.length === 0) return 'none'
  if (isTree(value) && Object.keys(value).length === 0) return 'none'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > LETTERS_MAX ? `${text.slice(0, LETTERS_MAX)}…` : text
}
