// The views that are lists: any run, lessons, bugs, explorer, experiments.

import { decodeWalk, walkAmong, walkVerdict } from '../../src/play/explorers/address.ts'
import { explorerNamed, registerTask, registerView } from '../registry.ts'
import { ExperimentsView } from '../views/experiments.tsx'
import { ExplorerView } from '../views/explorer.tsx'
import { LessonsView, LessonView } from '../views/lessons.tsx'
import { RunsView } from '../views/runs.tsx'
import { WalkView } from '../views/walk.tsx'
import { ZooView } from '../views/zoo.tsx'

registerView('runs', RunsView)
registerView('lessons', LessonsView)
registerView('lesson', LessonView)
registerView('zoo', ZooView)
registerView('explorer', ExplorerView)
registerView('walk', WalkView)
registerView('experiments', ExperimentsView)

/** What a walk comes to, for tests of the page in several browsers. */
registerTask('walk', address => {
  const spec = decodeWalk(address as string)
  if (typeof spec === 'string') return spec
  const explorer = explorerNamed(spec.protocol)
  const walk = walkAmong(explorer === undefined ? [] : [explorer], spec)
  return typeof walk === 'string' ? walk : { hash: walk.hash, verdict: walkVerdict(walk) }
})
