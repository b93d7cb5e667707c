// A member of ours that lies about slots, over the real transport and under its own certificate.

import { type SlotsOptions, settingsOf } from '../../src/client/peers/slots-settings.ts'
import * as node from '../lying-node.ts'

/** `folder` is a member's, as `coterie init --members` made it; name and options as the others have them. */
export async function startLyingMember(
  folder: string,
  name: string,
  options: SlotsOptions,
  lie: string,
): Promise<{ stop(): Promise<void> }> {
  const lying = await node.startLyingMember(folder)
  const { member } = lying
  member.command({ part: 'slots', body: { kind: 'open', settings: settingsOf(name, options, member.terms) } })
  lying.tell({ part: 'slots', lie, perSecond: 0 })
  return lying
}
