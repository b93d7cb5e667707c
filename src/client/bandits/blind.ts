// A blind run with all its parties in this process, with keys of their own and real arithmetic.

import { type BanditParty, type BanditTools, banditRules } from '../../bandits/index.ts'
import { BanditTable } from '../../bandits/table.ts'
import { banditKeys, opensslBanditTools } from '../../runtime/bandit-tools.ts'
import { randomBytes } from '../../runtime/platform.ts'
import { TamperedRound } from './errors.ts'
import type { Asked } from './options.ts'
import type { Follower, Played } from './run.ts'
import type { Sources } from './sources.ts'

const KEY_BYTES = 32
const NONCE_BYTES = 16
/** Letters between two breaths of the process. */
const LETTERS = 64
const ARM = 'arm '
const SHUFFLER = 'shuffler'
const COMPARATOR = 'comparator'
const USER = 'user'

/** Plays to the end, or rejects with why there is no answer. */
export async function playBlind(asked: Asked, sources: Sources, follower: Follower): Promise<Played> {
  const { parties, keysOf } = makeParties(await opensslBanditTools(), asked.names.length)
  const { algorithm, batch, options } = asked
  const { name, budget, rewards = [0, 1] } = options
  const run = { name, algorithm, batch, budget, rewards, nonce: randomBytes(NONCE_BYTES), ...parties }
  return new Promise((resolve, reject) => {
    const table = new BanditTable({
      settings: { run, repeat: 1_000, timeout: 1_000, rules: banditRules },
      keysOf,
      random: randomBytes,
      event: (from, event) => {
        if (event.kind === 'answered') resolve(event)
        if (event.kind === 'round') follower.round(event.round, event.spent)
        if (event.kind === 'stopped') reject(new TamperedRound(`run '${name}' has no answer: ${event.why}.`))
        if (event.kind !== 'pull' || follower.isOver()) return
        const { number } = event
        sources.pull(Number(from.slice(ARM.length)), number).then(steps => {
          table.command(from, { kind: 'reward', number, steps })
          pump()
        }, reject)
      },
    })
    const pump = () => {
      if (!follower.isOver() && table.work(LETTERS)) setImmediate(pump)
    }
    table.begin()
    pump()
  })
}

/** Keys of their own for everybody who takes part, made for this run. */
function makeParties(tools: BanditTools, arms: number) {
  const draw = () => banditKeys(tools, randomBytes(KEY_BYTES), randomBytes(KEY_BYTES))
  const ids = Array.from({ length: arms }, (_, arm) => `${ARM}${arm}`)
  const keys = new Map([...ids, SHUFFLER, COMPARATOR, USER].map(id => [id, draw()]))
  const party = (id: string): BanditParty => {
    const { signer, sealing } = keys.get(id)!
    return { id, signing: signer.publicKey, sealing: sealing.publicKey }
  }
  return {
    keysOf: (id: string) => keys.get(id)!,
    parties: { arms: ids.map(party), shuffler: party(SHUFFLER), comparator: party(COMPARATOR), user: party(USER) },
  }
}
