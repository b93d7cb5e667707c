// The recipes of a group, and its queues of jobs. Loaded for programs; commands that ask one question do without.

import { Jobs } from '../jobs/jobs.ts'
import { JobsObject } from '../jobs/queue-object.ts'
import type { Tree } from '../recipes/index.ts'
import type { Orders } from './orders.ts'
import { Recipes } from './recipes.ts'

/** What recipes need of their group. */
export interface RecipesBelow {
  tree(): Tree
  /** What carries an object of that name; refuses one that is in use. */
  ordersFor(name: string): Orders
  /** Is closed with the group, until it is dropped. */
  keep(name: string, closable: { close(): Promise<void> }): void
  drop(name: string): void
}

/** Makes what `group.recipes` gives. */
export function openRecipes(below: RecipesBelow): () => Recipes {
  const queues = new Map<string, Jobs>()
  const openJobs = (name: string): Jobs => {
    const known = queues.get(name)
    if (known !== undefined) return known
    const place = `jobs/${name}`
    const object = new JobsObject(below.ordersFor(place), place)
    const jobs = new Jobs(name, object, () => {
      queues.delete(name)
      below.drop(place)
    })
    queues.set(name, jobs)
    below.keep(place, jobs)
    return jobs
  }
  return () => new Recipes(below.tree(), openJobs)
}
