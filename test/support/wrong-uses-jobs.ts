// Wrong uses of queues of jobs: a part of the list in wrong-uses.ts.

import { any, type WrongUse, wrong } from './wrong-use.ts'

/** One wrong use, or a few, of every function of jobs. */
export const jobWrongUses: readonly WrongUse[] = [
  wrong('Recipes.jobs', 'the name of a recipe is undefined', ({ group }) => group.recipes.jobs(any(undefined))),
  wrong('Jobs.add', 'data.when is a Date', ({ group }) => group.recipes.jobs('j').add(any({ when: new Date(0) }))),
  wrong('Jobs.add', 'data is undefined', ({ group }) => group.recipes.jobs('j').add(any(undefined))),
  wrong('Jobs.add', 'a job has no option "attemps". Did you mean attempts?', ({ group }) =>
    group.recipes.jobs('j').add(1, any({ attemps: 3 })),
  ),
  wrong('Jobs.add', 'backoff has no option "type"', ({ group }) =>
    group.recipes.jobs('j').add(1, { backoff: any({ type: 'fixed', delay: 5 }) }),
  ),
  wrong('Jobs.add', 'priority is -1; it must be a whole number from 0', ({ group }) =>
    group.recipes.jobs('j').add(1, { priority: -1 }),
  ),
  wrong('Jobs.addAll', 'jobs is an array; it must be a list of 1 to 1000 jobs', ({ group }) =>
    group.recipes.jobs('j').addAll([]),
  ),
  wrong('Jobs.work', 'handler is undefined; it must be a function that does a job', ({ group }) =>
    group.recipes.jobs('j').work(any(undefined)),
  ),
  wrong('Jobs.work', 'jobs.work has no option "concurency". Did you mean concurrency?', ({ group }) =>
    group.recipes.jobs('j').work(() => null, any({ concurency: 3 })),
  ),
  wrong('Jobs.work', 'lease is 5; it must be a whole number of milliseconds from 500', ({ group }) =>
    group.recipes.jobs('j').work(() => null, { lease: 5 }),
  ),
  wrong('Jobs.get', 'id is 5; it must be text', ({ group }) => group.recipes.jobs('j').get(any(5))),
  wrong('Jobs.list', 'state is "failed"; it must be one of', ({ group }) =>
    group.recipes.jobs('j').list({ state: any('failed') }),
  ),
  wrong('Jobs.stats', 'jobs.stats has no option "now"', ({ group }) => group.recipes.jobs('j').stats(any({ now: 1 }))),
  wrong('Jobs.result', 'timeout is "5s"; it must be', ({ group }) =>
    group.recipes.jobs('j').result('1', any({ timeout: '5s' })),
  ),
  wrong('Jobs.limit', 'jobs.limit has no option "duration"', ({ group }) =>
    group.recipes.jobs('j').limit(any({ max: 1, duration: 5 })),
  ),
  wrong('Jobs.remove', 'id is undefined; it must be text', ({ group }) =>
    group.recipes.jobs('j').remove(any(undefined)),
  ),
  wrong('Jobs.retry', 'id is ""; it must be text', ({ group }) => group.recipes.jobs('j').retry('')),
  wrong('Jobs.clean', 'state is "all"; it must be one of completed, dead', ({ group }) =>
    group.recipes.jobs('j').clean(any('all')),
  ),
  wrong('JobWorker.close', 'worker.close has no option "wait"', async ({ group }) => {
    await using worker = group.recipes.jobs('j').work(() => null)
    await worker.close(any({ wait: 5 }))
  }),
]
