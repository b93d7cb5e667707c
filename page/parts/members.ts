// Membership and elections, to play with.

import { electionPlayground, membershipPlayground } from '../../src/play/members.ts'
import { register } from '../registry.ts'

register(electionPlayground, membershipPlayground)
