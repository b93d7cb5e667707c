// The group inside the calling process, in Node.

import { ledgerClientPart } from '../node/ledger.ts'
import { sha256 } from '../runtime/hash.ts'
import { ledgerCryptoOf, newVotingSeed, voterOf } from '../runtime/ledger.ts'
import { EmbeddedGroup } from './bandits/embedded-group.ts'
import { type EmbeddedOptions, type EmbeddedParts, embed } from './embedding.ts'

/** A whole group in this process, without network and disk: for tests, and to try things out. */
export async function embedded(options: EmbeddedOptions = {}): Promise<EmbeddedGroup> {
  const crypto = ledgerCryptoOf()
  const ledgers: EmbeddedParts['ledgers'] = {
    crypto,
    clientPart: settings => ledgerClientPart(settings, crypto),
    open: () => import('./ledger/ledgers.ts'),
    newVoter: () => voterOf(newVotingSeed()),
  }
  const events = await eventsOf()
  return embed(options, { hash: sha256, ledgers, events }, (shape, driver) => new EmbeddedGroup(shape, driver))
}

/** The one client of this group signs with a key of its own, and everybody here knows it. */
async function eventsOf(): Promise<NonNullable<EmbeddedParts['events']>> {
  const [{ eventsClientPart }, { GroupEvents }, { opensslSignatures, opensslSigner }] = await Promise.all([
    import('../node/events.ts'),
    import('./events/group-events.ts'),
    import('../runtime/certificates/signatures.ts'),
  ])
  const signer = opensslSigner(newVotingSeed())
  const keys = { signatures: opensslSignatures(), keyOf: () => signer.publicKey }
  const brings = { group: 'embedded', hash: sha256, keys }
  return {
    brings,
    clientPart: settings => eventsClientPart(settings, { ...brings, signer }),
    open: below => new GroupEvents(below),
  }
}
