// The bug zoo: rules that were broken on purpose, each in the shortest run found that shows it.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { type Specimen, zoo } from '../../src/play/zoo.ts'
import { catalogue } from '../catalogue.ts'
import { Find, has } from '../panels/find.tsx'

const PROTOCOLS = [...new Set(zoo.map(({ protocol }) => protocol))]

/** What a broken rule leads to, in a word; by the checker's sentence. */
const HARMS: readonly (readonly [harm: string, says: RegExp])[] = [
  ['two at once', /held by|two coordinators|two lists|is not that of/],
  ['somebody waits for ever', /not served/],
  ['an honest one is blamed', /honest,? and|and it is honest|for failed|for suspected|never said so/],
  ['a secret is out', /opened (?:with|by)|followed through|gave a share/],
  ['a machine stops', /a machine threw/],
  ['told too late', /too late/],
]

function harmOf({ says }: Specimen): string {
  return HARMS.find(([, pattern]) => pattern.test(says))?.[0] ?? 'a wrong answer'
}

export function ZooView(): JSX.Element {
  const [wanted, setWanted] = useState('')
  const shown = zoo.filter(one =>
    has(`${one.protocol} ${one.bug.replaceAll('-', ' ')} ${one.says} ${harmOf(one)}`, wanted),
  )
  return (
    <>
      <div>
        <h1>The bug zoo</h1>
        <p class="lead">
          {zoo.length} rules of {PROTOCOLS.length} protocols, each broken on purpose. If the simulator did not find
          these, it would not find ours either. Every card is a run that shows one, with everything left out that it
          does not need.
        </p>
      </div>
      <Find value={wanted} onValue={setWanted} count={shown.length} of={zoo.length} />
      {PROTOCOLS.map(protocol => (
        <Cage key={protocol} protocol={protocol} specimens={shown.filter(one => one.protocol === protocol)} />
      ))}
    </>
  )
}

function Cage({ protocol, specimens }: { protocol: string; specimens: readonly Specimen[] }): JSX.Element | null {
  if (specimens.length === 0) return null
  const title = catalogue.find(({ name }) => name === protocol)?.title ?? protocol
  return (
    <section class="group" aria-labelledby={`zoo-${protocol}`}>
      <h2 id={`zoo-${protocol}`}>
        {title} <span class="soft">{specimens.length}</span>
      </h2>
      <ul class="grid">
        {specimens.map(one => (
          <li key={one.bug}>
            <a class="card" href={`#${one.address}`}>
              <h3>{one.bug.replaceAll('-', ' ')}</h3>
              <p>
                <span class="harm">{harmOf(one)}</span>
              </p>
              <p class="small">{one.says}</p>
              <p class="tag">
                {one.kept} of {one.of} acts and faults left
              </p>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
