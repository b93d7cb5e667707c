// The views that are lists: any run, lessons, bugs, explorer, experiments.

import { registerView } from '../registry.ts'
import { ExperimentsView } from '../views/experiments.tsx'
import { ExplorerView } from '../views/explorer.tsx'
import { LessonsView, LessonView } from '../views/lessons.tsx'
import { RunsView } from '../views/runs.tsx'
import { ZooView } from '../views/zoo.tsx'

registerView('runs', RunsView)
registerView('lessons', LessonsView)
registerView('lesson', LessonView)
registerView('zoo', ZooView)
registerView('explorer', ExplorerView)
registerView('experiments', ExperimentsView)
