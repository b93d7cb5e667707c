// Membership and elections, to play with; elections to explore.

import { electionExplorer } from '../../src/play/explorers/election.ts'
import { electionPlayground, membershipPlayground } from '../../src/play/members.ts'
import { register, registerExplorer } from '../registry.ts'

register(electionPlayground, membershipPlayground)
registerExplorer(electionExplorer)
