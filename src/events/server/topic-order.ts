// The topics of a channel in one order, so that what is kept is shown page by page, and the next page goes on behind the last.
//
// To put a hundred thousand topics in order for each page takes a tenth of a second of everybody's. They are put in order when
// somebody asks for the first time; from then on a new topic is put where it belongs.

import type { ServerState } from './state.ts'

/** All topics of a channel, in the order of their UTF-16. */
export function topicsInOrder({ retained, topicOrder }: ServerState, channel: string): readonly string[] {
  const topics = retained.get(channel)
  if (topics === undefined) return []
  const known = topicOrder.get(channel)
  if (known?.length === topics.size) return known
  const order = [...topics.keys()].sort()
  topicOrder.set(channel, order)
  return order
}

/** A topic is new in a channel. */
export function placeTopic({ topicOrder }: ServerState, channel: string, topic: string): void {
  const order = topicOrder.get(channel)
  order?.splice(placeBehind(order, topic), 0, topic)
}

/** Where the topics behind this one begin. */
export function placeBehind(order: readonly string[], topic: string): number {
  let [low, high] = [0, order.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (order[middle]! <= topic) low = middle + 1
    else high = middle
  }
  return low
}
