// Every bit of a proof of shuffle and of its statement, on ristretto255, one at a time: none may be turned. Takes a
// minute or two. Prints how many there were and which were taken; fails if any was.

import { randomBytes } from 'node:crypto'
import { checkShuffle, ristretto } from '../../src/crypto/index.ts'
import { bitPlaces, withBitTurned } from '../support/bits.ts'
import { provenLap } from '../support/crypto.ts'

const TICKETS = 3

const group = await ristretto()
const random = (length: number) => new Uint8Array(randomBytes(length))
const pass = provenLap(group, 2, TICKETS, random).passes[1]!
if (!checkShuffle(group, pass, random)) throw new Error('an honest pass does not hold')
const places = bitPlaces(pass)
const taken = places.filter(place => checkShuffle(group, withBitTurned(pass, place), random))
for (const { path, bit } of taken) console.log(`taken with bit ${bit} of ${path.join('.')} turned`)
console.log(`shuffle: ${places.length} bits turned, ${taken.length} taken`)
if (taken.length > 0) process.exit(1)
