// What clients hold against servers, as a server keeps it: one line for each accuser and accused.
//
// The obvious list keeps the newest hundred, and one client with a hundred made-up accusations pushes the true ones out.
// Here an accuser has one line for each accused, its latest; an accuser is a certificate, since processes are free. Who
// comes when all lines are taken is heard and not kept, unless it accuses somebody of whom there are fewer lines than of
// the most accused: then the oldest line of that one goes.

import type { NodeId } from './process.ts'

/** What every complaint says: who accuses whom, and of what. */
export interface AnyComplaint {
  readonly client: NodeId
  readonly server: NodeId
}

/** Complaints of clients about servers: one line for each accuser and accused. */
export interface Complaints<Complaint extends AnyComplaint> {
  /** By accuser and accused, in the order of coming. */
  readonly lines: Map<string, Complaint>
  /** How many came, kept or not. */
  count: number
}

/** Nobody has complained yet. */
export function newComplaints<Complaint extends AnyComplaint>(): Complaints<Complaint> {
  return { lines: new Map(), count: 0 }
}

/** True: news, to be told to the people who run this server. */
export function keepComplaint<Complaint extends AnyComplaint>(
  complaints: Complaints<Complaint>,
  complaint: Complaint,
  max: number,
): boolean {
  const { lines } = complaints
  const key = JSON.stringify([accuserOf(complaint.client), complaint.server])
  complaints.count++
  const isNew = !lines.has(key)
  if (isNew && lines.size >= max && !makeRoom(lines, complaint.server)) return false
  lines.set(key, complaint)
  return isNew
}

// The most accused gives up its oldest line, but not for one more accusation of itself.
function makeRoom<Complaint extends AnyComplaint>(lines: Map<string, Complaint>, accused: NodeId): boolean {
  const counts = new Map<NodeId, number>()
  for (const { server } of lines.values()) counts.set(server, (counts.get(server) ?? 0) + 1)
  const [most] = [...counts].sort(([, one], [, other]) => other - one)[0]!
  if ((counts.get(accused) ?? 0) + 1 >= counts.get(most)!) return false
  for (const [key, { server }] of lines) if (server === most) return lines.delete(key)
  return false
}

/** The name in the certificate, without the instance. */
export function accuserOf(client: NodeId): string {
  const mark = client.indexOf('#')
  return mark < 0 ? client : client.slice(0, mark)
}
