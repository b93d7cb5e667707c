// Entering a group as a member and as a client of its servers, with one folder.

import { optionsSchema } from '../core/index.ts'
import { type ConnectOptions, connectAs, connectRules } from './connect.ts'
import { type JoinOptions, join, joinRules } from './join.ts'
import { MemberGroup } from './member-group.ts'

/** How to enter a group: as for `join`, and as for `connect`. */
export interface EnterOptions extends JoinOptions, ConnectOptions {}

const checkOptions = optionsSchema<EnterOptions>({ ...connectRules, ...joinRules })

export async function enter(options: EnterOptions): Promise<MemberGroup> {
  checkOptions('enter', options)
  const { attributes, ranking, ...asClient } = options
  const group = await connectAs(MemberGroup, asClient)
  try {
    const { config, log, metrics } = options
    const said = { ...(attributes && { attributes }), ...(ranking && { ranking }) }
    group.become(await join({ config, ...said, ...(log && { log }), ...(metrics && { metrics }) }))
    return group
  } catch (error) {
    await group.close()
    throw error
  }
}
