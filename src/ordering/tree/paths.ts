// Paths: `/` is the root, `/a/b` a child of `/a`. One name for one entry: no empty steps, no dots, no trailing slash.

import { isText } from '../../core/index.ts'

/** A path is part of a key, which holds 1 KiB. */
export const PATH_BYTES_MAX = 1_000
/** Digits of a sequential entry's number, so that names sort as numbers do. */
const SEQUENCE_DIGITS = 10

export function isPath(path: string): boolean {
  if (path === '/') return true
  if (!path.startsWith('/') || path.endsWith('/') || !isText(path, PATH_BYTES_MAX)) return false
  return path.slice(1).split('/').every(isName)
}

function isName(name: string): boolean {
  if (name === '' || name === '.' || name === '..') return false
  // Below a space: control characters, which no one can type and a terminal obeys.
  for (let at = 0; at < name.length; at++) if (name.charCodeAt(at) < 0x20 || name.charCodeAt(at) === 0x7f) return false
  return true
}

/** Of anything but the root. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/'
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export function childOf(parent: string, name: string): string {
  return parent === '/' ? `/${name}` : `${parent}/${name}`
}

export function isWithin(path: string, subtree: string): boolean {
  return subtree === '/' || path === subtree || path.startsWith(`${subtree}/`)
}

export function sequenced(path: string, number: number): string {
  return `${path}${String(number).padStart(SEQUENCE_DIGITS, '0')}`
}
