// The ledger's part of a node. Apart from the other parts: a client that uses no ledger does not load it.

import { type LedgerClient, ledgerClient } from '../ledger/client/machine.ts'
import { type LedgerCrypto, ledgerServersNeeded } from '../ledger/genesis.ts'
import { type LedgerServerSettings, type LedgerSettings, ledgerDefaults } from '../ledger/settings.ts'
import type { NodeSettings, ObjectParts } from './settings.ts'

/** Undefined: the group is too small for ledgers, or the process brought nothing for them. */
function ledgerSettings({ trust }: NodeSettings, ledgerCrypto: LedgerCrypto | undefined): LedgerSettings | undefined {
  const { servers, liars, crashes } = trust
  if (ledgerCrypto === undefined || servers < ledgerServersNeeded(liars, crashes)) return undefined
  return { ...ledgerDefaults, suite: ledgerCrypto, liars, crashes }
}

/** The client's part; undefined where the group is too small for ledgers. */
export function ledgerClientPart(settings: NodeSettings, ledgerCrypto: LedgerCrypto): LedgerClient | undefined {
  const shared = ledgerSettings(settings, ledgerCrypto)
  return shared && ledgerClient(shared)
}

/** What a server needs besides: its voting key. */
export function ledgerServerSettings(settings: NodeSettings, parts: ObjectParts): LedgerServerSettings | undefined {
  const shared = ledgerSettings(settings, parts.ledgerCrypto)
  return shared === undefined || parts.voter === undefined ? undefined : { ...shared, voter: parts.voter }
}
