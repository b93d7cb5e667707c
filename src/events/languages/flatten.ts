// Events as JSON has them, nested, as attributes: { detail: { state: 'on' } } becomes `detail.state`.

import { InvalidEvent, shown } from '../refusals.ts'
import { ATTRIBUTES_MAX, type Attributes, ITEMS_MAX, isPlainObject, parseAttributes } from '../values.ts'

const DEPTH_MAX = 32

/** The attributes of a nested event. Throws `InvalidEvent` for lists of objects, whose fields no longer hang together. */
export function flatten(event: unknown): Attributes {
  if (!isPlainObject(event)) throw new InvalidEvent(`an event is ${shown(event)}: a plain object is needed.`)
  const flat: Record<string, unknown> = Object.create(null)
  addTo(flat, event, '', 0)
  return parseAttributes(flat)
}

function addTo(flat: Record<string, unknown>, object: Record<string, unknown>, path: string, depth: number): void {
  if (depth > DEPTH_MAX) throw new InvalidEvent(`an event is nested deeper than ${DEPTH_MAX} levels, or holds itself.`)
  for (const name of Object.keys(object)) {
    const value = object[name]
    const place = path === '' ? name : `${path}.${name}`
    if (Array.isArray(value) && value.slice(0, ITEMS_MAX + 1).some(item => typeof item === 'object' && item !== null))
      throw new InvalidEvent(
        `${shown(place)} is a list of objects or lists: which fields belong to one object would be lost. ` +
          'Publish one event for each, or the fields that filters need as lists of values.',
      )
    if (isPlainObject(value)) addTo(flat, value, place, depth + 1)
    else if (place in flat)
      throw new InvalidEvent(
        `${shown(place)} is there twice, once with its levels nested: one of the two would be lost.`,
      )
    else flat[place] = value
    if (Object.keys(flat).length > ATTRIBUTES_MAX)
      throw new InvalidEvent(`an event has more than ${ATTRIBUTES_MAX} attributes, counted through all levels.`)
  }
}
