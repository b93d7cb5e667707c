// The bug zoo: rules that were broken on purpose, each in the shortest run found that shows it.

import type { JSX } from 'preact'
import zoo from '../data/zoo.json' with { type: 'json' }

interface Found {
  readonly name: string
  readonly bug: string
  readonly what: string
  readonly events: number
  readonly address: string
}

export function ZooView(): JSX.Element {
  return (
    <>
      <div>
        <h1>The bug zoo</h1>
        <p class="soft">
          Each of these is one rule of a protocol, broken on purpose. If the simulator did not find them, it would not
          find ours either. Every card is a run that shows it, with everything left out that it does not need.
        </p>
      </div>
      <ul class="grid">
        {(zoo as readonly Found[]).map(({ name, bug, what, events, address }) => (
          <li key={`${name} ${bug}`}>
            <a class="card" href={`#${address}`}>
              <h2>{bug.replaceAll('-', ' ')}</h2>
              <p class="small">{what}</p>
              <p class="tag">
                {name} · {events} events
              </p>
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}
