// SRCEA §4.2.3, storage cost: the group view takes 3n words, m n for m attributes, and two secret keys; algorithms with
// public keys keep one for every node.

import { createECDH, generateKeyPairSync } from 'node:crypto'
import type { NodeId } from '../../src/core/index.ts'
import { ATTRIBUTES, srcea, srceaDefaults } from '../../src/papers/srcea/index.ts'
import { lineChart } from '../chart.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'
import { attributesOf, namesOf, ONE_RUN } from './measure.ts'

const SIZES = { small: [50, 100, 500], full: [50, 100, 150, 200, 250, 300, 350, 400, 450, 500] }
const WORD_BYTES = 8
/** A key for AES-256 and one for HMAC-SHA-256. */
const SRCEA_KEYS = 32 + 32

/** How many values stand in the heaps of one node of n. */
function wordsOfView(size: number): number {
  const members = namesOf(size)
  const { protocol } = srcea({ ...srceaDefaults, attributes: attributesOf(3) })
  const { heaps } = protocol.init(members[0]! as NodeId, members, new Map())
  return ATTRIBUTES.reduce((sum, name) => sum + heaps[name].length, 0)
}

/** The modulus of an RSA key, and a point of P-384, without their wrapping. */
function publicKeyBytes(kind: 'RSA-1024' | 'ECC-384'): number {
  if (kind === 'ECC-384') {
    return createECDH('secp384r1').generateKeys('hex', 'compressed').length / 2
  }
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  return Buffer.from(publicKey.export({ format: 'jwk' }).n!, 'base64url').length
}

export const srceaSpace: Experiment = {
  name: 'srcea-space',
  title: 'What a node keeps: three words for each member and two keys, or a public key for each.',
  source: 'SRCEA §4.2.3',
  run({ scale, progress }: RunOptions) {
    const keys = { 'RSA-1024': publicKeyBytes('RSA-1024'), 'ECC-384': publicKeyBytes('ECC-384') }
    const sizes = SIZES[scale]
    const srceaBytes = (size: number) => WORD_BYTES * wordsOfView(size) + SRCEA_KEYS
    const rows: Row[] = sizes.flatMap((size, at) => {
      progress(at / sizes.length, `n = ${size}`)
      return [
        row(`n = ${size}: words of the group view, 3n`, wordsOfView(size), 3 * size, 0),
        ...Object.entries(keys).map(([kind, bytes]) => moreRow(size, kind, (size * bytes) / srceaBytes(size))),
      ]
    })
    const svg = lineChart({
      title: 'What a node keeps, in bytes',
      x: { label: 'n' },
      y: { label: 'bytes', min: 0 },
      note: ONE_RUN,
      series: [
        { name: 'SRCEA: view and two keys', points: sizes.map(size => [size, srceaBytes(size)] as const) },
        ...Object.entries(keys).map(([kind, bytes]) => ({
          name: `public keys, ${kind}`,
          points: sizes.map(size => [size, size * bytes] as const),
        })),
      ],
    })
    return { rows, pictures: [{ name: 'srcea-space.svg', svg }], notes: NOTES }
  },
}

/** "Total storage space needed by SRCEA is less." */
function moreRow(size: number, kind: string, ratio: number): Row {
  const what = `n = ${size}: public keys of ${kind}, of what SRCEA keeps: above`
  return { what, expected: 1, measured: ratio, tolerance: null, within: ratio > 1 }
}

const NOTES = [
  'The paper counts a word for each attribute of each member; our heaps hold its name beside it, which is not counted.',
  'It compares the keys of others with its whole view. Both would keep a view; what a group key saves is the keys, and what it costs ' +
    'is that every member can vote as every other (`srcea-attacks`).',
]
