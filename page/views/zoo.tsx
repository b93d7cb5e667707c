// The bug zoo: rules that were broken on purpose, each in the shortest run found that shows it.

import type { JSX } from 'preact'
import { zoo } from '../../src/play/zoo.ts'

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
        {zoo.map(({ protocol, bug, says, kept, of, address }) => (
          <li key={`${protocol} ${bug}`}>
            <a class="card" href={`#${address}`}>
              <h2>{bug.replaceAll('-', ' ')}</h2>
              <p class="small">{says}</p>
              <p class="tag">
                {protocol} · {kept} of {of} acts and faults left
              </p>
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}
