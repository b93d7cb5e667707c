// Experiments of lab/gossip that need nothing of Node: measured in the page's worker.

import { gossipAverage } from '../../lab/gossip/average.ts'
import { hubAttack } from '../../lab/gossip/hub-attack.ts'
import { hyparview } from '../../lab/gossip/hyparview.ts'
import { gossipSpread } from '../../lab/gossip/spread.ts'
import { torus } from '../../lab/gossip/torus.ts'
import { registerMeasures } from '../measured.ts'

registerMeasures(gossipAverage, hubAttack, hyparview, gossipSpread, torus)
