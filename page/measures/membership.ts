// Experiments of lab/membership that need nothing of Node: measured in the page's worker.

import { accrual } from '../../lab/membership/accrual.ts'
import { membershipRest } from '../../lab/membership/rest.ts'
import { swimFlaps } from '../../lab/membership/swim-flaps.ts'
import { swimLarge } from '../../lab/membership/swim-large.ts'
import { registerMeasures } from '../measured.ts'

registerMeasures(accrual, membershipRest, swimFlaps, swimLarge)
