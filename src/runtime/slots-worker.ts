// One worker thread for the heavy work of slots: a proven shuffle, or the check of a lap of them. It has a WebAssembly
// instance of its own. What it is given and what it answers may be secret: nothing of it is kept or logged here.

import { randomBytes } from 'node:crypto'
import { ristretto } from '../crypto/index.ts'
import { performShuffleWork } from '../slots/index.ts'

const group = ristretto()

export default async function work(request: Uint8Array): Promise<Uint8Array> {
  return performShuffleWork(await group, request, length => new Uint8Array(randomBytes(length)))
}
