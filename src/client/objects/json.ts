// What JSON can hold, and where a value holds something else. JSON.stringify does not refuse: it makes null of NaN, {} of
// a Map, text of a Date, and leaves undefined out. What was acknowledged must be what is kept, so these are refused here,
// with the path to them.

import { kindOf } from '../../core/index.ts'

/** A value nested deeper than this is a mistake, or somebody's attempt to exhaust the stack. */
const DEPTH_MAX = 500
/** A property that needs no quotes in a path. */
const WORD = /^[A-Za-z_$][\w$]*$/

/** A sentence about the first thing in it that JSON cannot hold, such as "state.items[3].when is a Date"; or undefined. */
export function whyNotJson(value: unknown, path: string): string | undefined {
  return look(value, path, [])
}

function look(value: unknown, path: string, above: object[]): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined
    case 'number':
      return Number.isFinite(value) ? undefined : `${path} is ${value}`
    case 'object':
      return value === null ? undefined : lookInto(value, path, above)
    default:
      return `${path} is ${kindOf(value)}`
  }
}

function lookInto(value: object, path: string, above: object[]): string | undefined {
  if (above.includes(value)) return `${path} contains itself`
  if (above.length >= DEPTH_MAX) return `${path} is nested deeper than ${DEPTH_MAX}`
  above.push(value)
  const found = Array.isArray(value) ? lookIntoList(value, path, above) : lookIntoObject(value, path, above)
  above.pop()
  return found
}

function lookIntoList(list: readonly unknown[], path: string, above: object[]): string | undefined {
  for (let place = 0; place < list.length; place++) {
    const item = list[place]
    // Without a path for what is plainly right: most items are.
    if (isSimple(item)) continue
    const found = look(item, `${path}[${place}]`, above)
    if (found !== undefined) return found
  }
  return undefined
}

function lookIntoObject(value: object, path: string, above: object[]): string | undefined {
  const parent = Object.getPrototypeOf(value)
  if (parent !== Object.prototype && parent !== null) return `${path} is ${kindOf(value)}`
  for (const property in value) {
    const inner = (value as Record<string, unknown>)[property]
    if (isSimple(inner)) continue
    const found = look(inner, join(path, property), above)
    if (found !== undefined) return found
  }
  return undefined
}

const isSimple = (value: unknown) => typeof value === 'string' || typeof value === 'boolean' || value === null

export function join(path: string, property: string): string {
  return WORD.test(property) ? `${path}.${property}` : `${path}[${JSON.stringify(property)}]`
}
