// A run is an address. Here it is, as a link, as a line for the command line, and as a picture.

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { packAddress } from '../../src/play/pack.ts'
import { diagram, encodeRun, type RunSpec } from '../../src/simulator/index.ts'
import type { Session } from '../session.ts'
import { Copied } from './copied.tsx'

function addressOf({ spec, play }: Session, cursor: number): string {
  return `#${encodeRun({ ...spec, at: cursor, hash: play.hash.slice(0, 8) } satisfies RunSpec)}`
}

export interface ShareProps {
  readonly session: Session
  readonly cursor: number
}

export function Share({ session, cursor }: ShareProps): JSX.Element {
  const plain = addressOf(session, cursor)
  const fragment = usePacked(plain)
  const address = `${location.href.split('#')[0]}${fragment}`
  return (
    <div class="two">
      <div class="stack">
        <Copied label="Address: it opens this run at this event" text={address} />
        <Copied label="The same on the command line" text={`coterie sim --play '${fragment}'`} />
        <p class="soft small">
          Everything that decides the run is in the address: protocol, size, seed, what you did and said. The hash of
          its trace is <code>{session.play.hash}</code>, the same in every browser and in Node.
        </p>
      </div>
      <div class="stack">
        <div class="row">
          <button type="button" onClick={() => save('run.svg', 'image/svg+xml', svgOf(session))}>
            Save the picture (SVG)
          </button>
          <button type="button" onClick={() => save('run.log', 'text/plain', logOf(session))}>
            Save the log (ShiViz)
          </button>
        </div>
        <p class="soft small">
          ShiViz reads the log with the expression{' '}
          <code>(?&lt;host&gt;\S*) (?&lt;clock&gt;&#123;.*&#125;)\n(?&lt;event&gt;.*)</code>.
        </p>
      </div>
    </div>
  )
}

/** Mail programs break long addresses: those are packed. */
function usePacked(plain: string): string {
  const [packed, setPacked] = useState({ plain, fragment: plain })
  useEffect(() => {
    packAddress(plain.slice(1)).then(text => setPacked({ plain, fragment: `#${text}` }))
  }, [plain])
  return packed.plain === plain ? packed.fragment : plain
}

function svgOf({ play, playground }: Session): string {
  return diagram(play.trace, `${playground.title}, hash ${play.hash}`)
}

/** Each event with its vector clock: a message carries the clock that its sender had when it sent. */
function logOf({ play }: Session): string {
  const clocks = new Map<string, Map<string, number>>()
  const kept: { node: string; at: number; clock: Map<string, number> }[] = []
  const lines: string[] = []
  for (const entry of play.trace) {
    const clock = clocks.get(entry.node) ?? new Map<string, number>()
    clocks.set(entry.node, clock)
    if (entry.from !== undefined) {
      const sent = kept.findLast(one => one.node === entry.from && one.at <= entry.sentAt!)
      for (const [node, count] of sent?.clock ?? []) clock.set(node, Math.max(count, clock.get(node) ?? 0))
    }
    clock.set(entry.node, (clock.get(entry.node) ?? 0) + 1)
    kept.push({ node: entry.node, at: entry.at, clock: new Map(clock) })
    lines.push(`${entry.node} ${JSON.stringify(Object.fromEntries(clock))}`, `${entry.kind} ${entry.what}`)
  }
  return `${lines.join('\n')}\n`
}

function save(name: string, type: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}
