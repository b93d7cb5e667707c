// Experiments of lab/election that need nothing of Node: measured in the page's worker.

import { srceaMessages } from '../../lab/election/messages.ts'
import { electionsTable } from '../../lab/election/table.ts'
import { weightsErratum } from '../../lab/election/weights.ts'
import { registerMeasures } from '../measured.ts'

registerMeasures(srceaMessages, electionsTable, weightsErratum)
