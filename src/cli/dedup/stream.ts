// `coterie dedup` without the command line: bytes in, lines that pass out, a report at the end.
//
// One chunk is in memory at a time, and the next is not read before the writer has room: memory does not grow with the
// stream. Kept lines are moved together inside the chunk they came in, so each chunk is one write.

import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { type LineOptions, LineStream } from '../../filters/index.ts'

export interface DedupOptions extends LineOptions {
  /** Called after every chunk; draw as often as you like. */
  readonly progress?: ((report: DedupReport) => void) | undefined
}

export interface DedupReport {
  readonly lines: number
  readonly duplicates: number
  readonly bytes: number
  readonly seconds: number
}

/** Ends when the input does. It does not end `output`: that may be the terminal. */
export async function dedup(
  { progress, ...options }: DedupOptions,
  input: AsyncIterable<Uint8Array>,
  output: Writable,
): Promise<DedupReport> {
  const stream = new LineStream(options)
  const start = performance.now()
  const report = (): DedupReport => {
    const { lines, duplicates, bytes } = stream
    return { lines, duplicates, bytes, seconds: (performance.now() - start) / 1000 }
  }
  for await (const chunk of input) {
    const kept = keptOf(stream, chunk)
    for (const piece of kept) if (!output.write(piece)) await once(output, 'drain')
    progress?.(report())
  }
  const last: Uint8Array[] = []
  stream.finish((bytes, from, to) => last.push(bytes.slice(from, to)))
  for (const piece of last) if (!output.write(piece)) await once(output, 'drain')
  return report()
}

/** A line that began in an earlier chunk, if it passes, and what is left of this chunk. The chunk is overwritten. */
function keptOf(stream: LineStream, chunk: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = []
  let end = 0
  stream.push(chunk, (bytes, from, to) => {
    if (bytes !== chunk) pieces.push(bytes.slice(from, to))
    else {
      if (from !== end) chunk.copyWithin(end, from, to)
      end += to - from
    }
  })
  if (end > 0) pieces.push(chunk.subarray(0, end))
  return pieces
}
