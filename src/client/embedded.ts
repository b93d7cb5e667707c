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
  return embed(options, { hash: sha256, ledgers }, (shape, driver) => new EmbeddedGroup(shape, driver))
}
