// THESIS table 3.6: time per element, as a multiple of the quotient hash table's. Times depend on machine, language and
// neighbours, so only the order is asserted: those that take the thesis four times as long take longer here too. Its own
// ratio (C++, unkeyed) stands in the row's name.

import { QueuedQuotientHashTableWithDuplicates } from '../../../src/filters/index.ts'
import { type Experiment, row } from '../../experiment.ts'
import { BASELINES, baseline, quotientHashTable } from '../contenders.ts'
import type { Contender, Streamed } from '../measure.ts'

const BITS = 1_000_000
const QHT_MICROSECONDS = 0.288
const MICROSECONDS: Readonly<Record<string, number>> = {
  QHT: QHT_MICROSECONDS,
  QQHTD: 0.33,
  SQF: 0.423,
  Cuckoo: 2.464,
  SBF: 1.578,
  A2: 1.28,
  b_DBF: 2.565,
}

const TURNS = 9
/** From this ratio on in the thesis, the order must be the same here. */
const CLEARLY = 4

const CONTENDERS: readonly Contender[] = [
  quotientHashTable(BITS),
  {
    name: 'QQHTD',
    make: key => new QueuedQuotientHashTableWithDuplicates({ bits: BITS, cells: 1, fingerprintBits: 3, key }),
  },
  ...BASELINES.map(name => baseline(name, BITS)),
]

export const table36: Experiment = {
  name: 'filters-table-3-6',
  alone: true,
  title: 'Time per element, as a multiple of the quotient hash table’s',
  source: 'THESIS §3.8.3, table 3.6',
  run({ scale, progress }) {
    const elements = scale === 'full' ? 10_000_000 : 100_000
    const key = new Uint8Array(8).fill(7)
    const filters = CONTENDERS.map(contender => contender.make(key))
    const best = filters.map(() => Number.POSITIVE_INFINITY)
    // Best of nine, taking turns: a neighbour who takes the processor for a moment then hits none of them alone.
    for (let turn = 0; turn < TURNS; turn++) {
      for (const [index, filter] of filters.entries())
        best[index] = Math.min(best[index]!, time(filter, elements, turn))
      progress((turn + 1) / TURNS, 'taking times')
    }
    const rows = CONTENDERS.map(({ name }, index) =>
      row(
        `${name} (thesis ${(MICROSECONDS[name]! / QHT_MICROSECONDS).toFixed(2)})`,
        best[index]! / best[0]!,
        null,
        null,
        '× QHT',
      ),
    )
    for (const [index, { name }] of CONTENDERS.entries()) {
      if (MICROSECONDS[name]! < CLEARLY * QHT_MICROSECONDS) continue
      rows.push(row(`${name} takes longer than QHT (1 = yes)`, best[index]! > best[0]! ? 1 : 0, 1, 0))
    }
    const nanoseconds = ((best[0]! * 1e6) / elements).toFixed(0)
    return {
      rows,
      pictures: [],
      notes: [
        `QHT: ${nanoseconds} ns per element here, keyed; the thesis has 288 ns, unkeyed. Baselines in their right form.`,
      ],
    }
  },
}

function time(filter: Streamed, elements: number, turn: number): number {
  const start = performance.now()
  for (let element = turn * elements; element < (turn + 1) * elements; element++) filter.stream(element)
  return performance.now() - start
}
