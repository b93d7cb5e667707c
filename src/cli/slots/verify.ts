// What `coterie slots verify FILE` does: judges evidence against a member, without trust in the one who brought it.

import { open } from 'node:fs/promises'
import { ristretto } from '../../crypto/index.ts'
import { opensslSignatures } from '../../runtime/certificates/signatures.ts'
import { readNodeSettings } from '../../runtime/config/config.ts'
import { EVIDENCE_BYTES_MAX, type Verdict, verifyEvidence } from '../../slots/index.ts'
import { cannotRead, colour, EXIT_FAILED, print } from '../output.ts'
import { printable } from '../printable.ts'
import type { SlotsLine } from './member.ts'

export async function verify(file: string, line: SlotsLine): Promise<void> {
  const evidence = await readEvidence(file)
  const verdict = verifyEvidence(evidence, { group: await ristretto(), signatures: opensslSignatures() })
  const known = line.config === undefined ? undefined : await keysOf(line.config)
  const result = judge(verdict, known)
  print(line.json, result, () => (result.holds ? colour.red : String)(printable(result.why)))
  if (!result.holds) process.exitCode = EXIT_FAILED
}

interface Judged {
  readonly holds: boolean
  readonly member?: string
  readonly slots?: string
  readonly key?: string
  readonly why: string
}

/** Anybody can make a group of members that bear these names: only the keys say that it is the one that is meant. */
export function judge(verdict: Verdict, known: ReadonlyMap<string, string> | undefined): Judged {
  if (!verdict.ok) return { holds: false, why: `it proves nothing: ${verdict.refusal}.` }
  const { cheat: member, what, name: slots } = verdict
  const key = Buffer.from(verdict.identity).toString('hex')
  const about = { member, slots, key }
  if (known === undefined) {
    const advice = 'That this is the key of a member of your group, only its config says: add --config.'
    return { holds: true, ...about, why: `${member} of '${slots}' ${what}, signed with the key ${key}. ${advice}` }
  }
  if (known.get(member) !== key) {
    return { holds: false, ...about, why: `it was not signed with the key of this group's ${member}.` }
  }
  return { holds: true, ...about, why: `${member} of '${slots}' ${what}, and signed it.` }
}

async function keysOf(config: string): Promise<Map<string, string>> {
  const { group } = await readNodeSettings(config)
  return new Map(group.membership.members.map(({ name, publicKey }) => [name, publicKey.toLowerCase()]))
}

// Never more than evidence can be, whatever the file.
async function readEvidence(file: string): Promise<Uint8Array> {
  try {
    await using handle = await open(file)
    const buffer = new Uint8Array(EVIDENCE_BYTES_MAX + 1)
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0)
    return buffer.subarray(0, bytesRead)
  } catch (error) {
    throw cannotRead(file, error)
  }
}
