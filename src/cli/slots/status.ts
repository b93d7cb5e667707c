// What `coterie slots NAME status` shows: where things stand, as the members tell. Nobody can tell it more.

import { ASK_MS, type MemberAnswer, openAsker } from '../../client/peers/asking.ts'
import { Unavailable } from '../../core/index.ts'
import type { PublicSlotsStatus } from '../../node/questions/wire.ts'
import { clientFolder } from '../connection.ts'
import { colour, print } from '../output.ts'
import { allPrintable } from '../printable.ts'
import type { SlotsLine } from './member.ts'

export async function showStatus(name: string, line: SlotsLine): Promise<void> {
  const asker = await openAsker(clientFolder(line))
  try {
    const seen = latest(await asker.ask({ kind: 'slots', name }, ASK_MS))
    if (seen === undefined) throw new Unavailable(`no member that answered takes part in the slots '${name}'.`)
    print(line.json, seen.slots, () => describe(allPrintable(seen)))
  } finally {
    await asker.close()
  }
}

interface Seen {
  readonly member: string
  readonly slots: PublicSlotsStatus
}

/** Members that are behind, or outside, know less than those that take part in the newest epoch. */
export function latest(found: readonly MemberAnswer[]): Seen | undefined {
  const told = found.flatMap(({ member, slots }) => (slots === undefined ? [] : [{ member, slots }]))
  const worth = ({ slots }: Seen) => 2 * slots.epoch + (slots.phase === 'outside' ? 0 : 1)
  return told.reduce<Seen | undefined>((best, one) => (best && worth(best) >= worth(one) ? best : one), undefined)
}

export function describe({ member, slots }: Seen): string {
  const rounds = slots.rounds.map(({ number, phase, checks }) => {
    const checked = checks === 1 ? 'checked once' : `checked ${checks} times`
    return `  round ${number}  ${phase}${checks === 0 ? '' : `, ${checked}`}`
  })
  return [
    `${colour.bold(slots.name)}: ${slots.phase}, epoch ${slots.epoch}, as ${member} tells`,
    `  members  ${slots.members.join(', ')}`,
    ...(rounds.length === 0 ? ['  no round is open'] : rounds),
  ].join('\n')
}
