// Heavy work, done outside the machine: making a proven pass, and checking a lap of them. The machine emits a `work`
// event with a request, a worker thread (or a simulation, at once) calls `performShuffleWork`, and the answer comes back as a
// `worked` command. Both are bytes, so that they travel to a thread as they are.
//
// The permutation is born and forgotten here; it is in no state. A request may hold what the leader wishes for, an
// answer where that ticket went: neither is to be logged or kept.

import {
  assert,
  bool,
  bytes,
  type Codec,
  decode,
  encode,
  list,
  option,
  struct,
  uint,
  variants,
} from '../../core/index.ts'
import {
  type Ciphertext,
  checkLap,
  type Element,
  type Group,
  proveShuffle,
  type RandomBytes,
  rerandomise,
  type ShuffleSecret,
  shuffle,
  shuffleProofCodec,
} from '../../crypto/index.ts'
import { MEMBERS_MAX } from '../settings.ts'
import { passClaim } from './proofs.ts'
import { type EpochRecord, recordCodec } from './record.ts'
import type { Pass } from './wire.ts'
import { slotsVocabulary } from './wire.ts'

/** What a worker is asked for. */
export type ShuffleWork =
  /** Re-encrypt and permute the list, and prove it; say where ticket `follow` of the input went. */
  | {
      kind: 'shuffle'
      key: Element
      list: readonly Ciphertext[]
      context: Uint8Array
      follow: number | undefined
      /** False only where a simulation plants the bug. */
      reencrypt: boolean
    }
  /** Which passes of the lap do not hold? */
  | { kind: 'check'; record: EpochRecord; key: Element; passes: readonly Pass[] }

/** What a worker answers. */
export type ShuffleAnswer =
  | { kind: 'shuffled'; list: readonly Ciphertext[]; proof: Uint8Array; followed: number | undefined }
  | { kind: 'checked'; bad: readonly number[] }

/** Requests and answers stay inside the process: their limit is a frame of the wire. */
const BYTES_MAX = 16_000_000

const anyBytes = bytes(BYTES_MAX)
const tickets = list(struct<Ciphertext>({ c1: anyBytes, c2: anyBytes }), MEMBERS_MAX)

const passCodec: Codec<Pass> = {
  write: (writer, value) => slotsVocabulary.write(writer, value),
  read(reader) {
    const value = slotsVocabulary.read(reader)
    return value.kind === 'pass' ? value : reader.refuse('not a pass')
  },
}

const workCodec: Codec<ShuffleWork> = variants<ShuffleWork>({
  shuffle: { key: anyBytes, list: tickets, context: anyBytes, follow: option(uint(MEMBERS_MAX)), reencrypt: bool },
  check: { record: recordCodec, key: anyBytes, passes: list(passCodec, MEMBERS_MAX) },
})

const answerCodec: Codec<ShuffleAnswer> = variants<ShuffleAnswer>({
  shuffled: { list: tickets, proof: anyBytes, followed: option(uint(MEMBERS_MAX)) },
  checked: { bad: list(uint(MEMBERS_MAX), MEMBERS_MAX) },
})

export function encodeShuffleWork(work: ShuffleWork): Uint8Array {
  return encode(workCodec, work)
}

export function decodeShuffleAnswer(answer: Uint8Array): ShuffleAnswer | undefined {
  const decoded = decode(answerCodec, answer)
  return decoded.ok ? decoded.value : undefined
}

/** Does the work of a `work` event; what it returns is the `answer` of the `worked` command. Seconds in a large group. */
export function performShuffleWork(group: Group, request: Uint8Array, random: RandomBytes): Uint8Array {
  const decoded = decode(workCodec, request)
  assert(decoded.ok, `work that cannot be read: ${decoded.ok ? '' : decoded.refusal}`)
  const work = decoded.value
  return encode(answerCodec, work.kind === 'shuffle' ? shuffled(group, work, random) : checked(group, work, random))
}

function shuffled(group: Group, work: ShuffleWork & { kind: 'shuffle' }, random: RandomBytes): ShuffleAnswer {
  const { key, list: input, context, follow } = work
  const made = shuffle(group, key, input, random)
  const { output, secret } = work.reencrypt ? made : bare(group, key, input, made.secret)
  const proof = proveShuffle(group, { key, input, output, context }, secret, random)
  const followed = follow === undefined ? undefined : secret.permutation.indexOf(follow)
  return { kind: 'shuffled', list: output, proof: encode(shuffleProofCodec(group), proof), followed }
}

// The planted bug: every ticket with the same randomness, which the first pass needs to be sendable at all.
function bare(group: Group, key: Element, input: readonly Ciphertext[], { permutation }: ShuffleSecret) {
  const one = group.scalar(1n)
  const output = permutation.map(from => rerandomise(group, key, input[from]!, one))
  return { output, secret: { permutation, randomness: permutation.map(() => one) } }
}

function checked(group: Group, work: ShuffleWork & { kind: 'check' }, random: RandomBytes): ShuffleAnswer {
  const { record, key, passes } = work
  const claims = passes.map((pass, place) => passClaim(group, { record, key, before: passes[place - 1] }, pass))
  // A pass without the form of one makes the next one's input meaningless: the first is the cheat.
  const misshapen = claims.indexOf(undefined)
  if (misshapen >= 0) return { kind: 'checked', bad: [misshapen] }
  const bad = checkLap(
    group,
    claims.map(claim => claim!),
    random,
  )
  return { kind: 'checked', bad }
}
