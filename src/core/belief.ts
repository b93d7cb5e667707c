// How long a promise that another process keeps by its clock may be believed by ours.
//
// Clock rates lie between 1 - drift and 1 + drift. Somebody holds for `time` on its own clock: in real time at least
// time / (1 + drift). Our clock shows at least (1 - drift) of that. Counted from before the request was sent, the belief
// ends before the promise does, whatever the two clocks do within the bound.

import type { Millis } from './process.ts'

/** What of another's promise we may count on, by our clock. */
export function believed(time: Millis, drift: number): Millis {
  return (time * (1 - drift)) / (1 + drift)
}

/** How long to wait by our clock until `time` is over by anybody's: the other way round. */
export function outlasting(time: Millis, drift: number): Millis {
  return (time * (1 + drift)) / (1 - drift)
}
