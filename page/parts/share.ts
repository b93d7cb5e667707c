// How a run is sent: loaded when somebody wants to.

import { Share } from '../panels/share.tsx'
import { publish } from '../registry.ts'

publish('share', Share)
