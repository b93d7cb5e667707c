// Processes of one client. They share its certificate, so each draws an instance at random, and its id carries it:
// `billing#3f9a01c2d4e5f607`. Servers and members have one process to a name, and their id is the name.

import type { NodeId } from '../../core/index.ts'
import { toHex } from '../../core/index.ts'
import { randomBytes } from '../platform.ts'

/** Sixteen hexadecimal digits: processes of one client never draw the same. */
const INSTANCE_BYTES = 8
/** What is taken from others: 8 to 16 hexadecimal digits. */
const INSTANCE = /^[0-9a-f]{8,16}$/
/** The name of a server or client cannot contain it. */
const MARK = '#'

/** What tells this process from others that use the same client's certificate. */
export function newInstance(): string {
  return toHex(randomBytes(INSTANCE_BYTES))
}

export function isInstance(instance: string): boolean {
  return INSTANCE.test(instance)
}

/** The id of one process of a client. */
export function instanceOf(client: string, instance: string): NodeId {
  return `${client}${MARK}${instance}`
}

/** Whether this is the id of a client's process. */
export function isClient(id: NodeId): boolean {
  return id.includes(MARK)
}

/** Whose certificate it is: all processes of a client have one, and a server may have a client's name. */
export function ownerOf(id: NodeId): string {
  return isClient(id) ? `client ${clientOf(id)}` : id
}

/** The client whose process has this id. */
export function clientOf(id: NodeId): string {
  return isClient(id) ? id.slice(0, id.indexOf(MARK)) : id
}
