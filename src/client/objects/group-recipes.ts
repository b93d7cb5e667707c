// The recipes of a group, and its queues of jobs. Loaded for programs; commands that ask one question do without.

import { applyJobs } from '../jobs/apply.ts'
import { Jobs } from '../jobs/jobs.ts'
import { firstState, type JobsOperation, type JobsState } from '../jobs/state.ts'
import type { Tree } from '../recipes/index.ts'
import { Recipes } from './recipes.ts'
import type { ObjectDefinition, SharedObject } from './shared-object.ts'

/** What recipes need of their group. */
export interface RecipesBelow {
  tree(): Tree
  object<State, Operation>(
    name: string,
    definition: ObjectDefinition<State, Operation, unknown>,
  ): SharedObject<State, Operation, unknown>
  /** Is closed in place of the object of that name. */
  replace(name: string, closable: { close(): Promise<void> }): void
}

/** Makes what `group.recipes` gives. */
export function openRecipes(below: RecipesBelow): () => Recipes {
  const queues = new Map<string, Jobs>()
  const openJobs = (name: string): Jobs => {
    const known = queues.get(name)
    if (known !== undefined) return known
    const object = below.object<JobsState, JobsOperation>(`jobs/${name}`, { initial: firstState, apply: applyJobs })
    const jobs = new Jobs(name, object, () => queues.delete(name))
    queues.set(name, jobs)
    // Its workers are closed before its session is.
    below.replace(object.name, jobs)
    return jobs
  }
  return () => new Recipes(below.tree(), openJobs)
}
