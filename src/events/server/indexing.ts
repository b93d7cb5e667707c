// Which subscriptions want an event: by the index over their filters, one for each channel. Derived from what is followed,
// so it is beside the state and not in it: a state that was read back, or copied by the explorer, has it made anew.

import type { Attributes } from '../filter.ts'
import { Matcher } from '../matching/index.ts'
import { type Follower, followerKey, type ServerState } from './state.ts'

const indexes = new WeakMap<ServerState, Map<string, Matcher<string>>>()

function matcherOf(state: ServerState, channel: string): Matcher<string> {
  const channels = indexes.get(state) ?? new Map<string, Matcher<string>>()
  indexes.set(state, channels)
  const known = channels.get(channel)
  if (known !== undefined) return known
  const matcher = new Matcher<string>()
  channels.set(channel, matcher)
  for (const follower of state.followers.values()) {
    if (follower.channel === channel) matcher.add(keyOf(follower), follower.filter)
  }
  return matcher
}

function keyOf({ client, sub }: Follower): string {
  return followerKey(client, sub)
}

/** It follows. */
export function index(state: ServerState, follower: Follower): void {
  const known = indexes.get(state)?.get(follower.channel)
  known?.remove(keyOf(follower))
  known?.add(keyOf(follower), follower.filter)
}

/** It follows no more, or with another filter. */
export function unindex(state: ServerState, follower: Follower): void {
  indexes.get(state)?.get(follower.channel)?.remove(keyOf(follower))
}

/** Nothing is left of the channel; who follows it still is indexed again when something comes. */
export function forgetIndex(state: ServerState, channel: string): void {
  indexes.get(state)?.delete(channel)
}

/** Hands over the keys of those that want an event with these attributes. */
export function eachFollower(
  state: ServerState,
  channel: string,
  attributes: Attributes,
  take: (key: string) => void,
): void {
  matcherOf(state, channel).each(attributes, take)
}
