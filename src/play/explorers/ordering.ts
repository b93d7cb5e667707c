// What of this protocol a page explores: see explorer.ts.

import {
  exploreOrdering,
  exploreOrderingBug,
  orderingSystems,
  plantedOrderingSystems,
} from '../../ordering/proof/index.ts'
import { type Explorer, explorerOf } from './explorer.ts'

/** Objects in one order, every schedule. */
export const orderingExplorer: Explorer = explorerOf({
  protocol: 'ordering',
  title: 'Objects in one order',
  systems: orderingSystems,
  planted: plantedOrderingSystems,
  explore: exploreOrdering,
  small: ['read', 'one', 'gone'],
  exploreBug: exploreOrderingBug,
})
