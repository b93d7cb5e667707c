// The text of the config files that `coterie init` writes. They are read and edited by people, so each setting comes
// with what it means and what to mind; a serializer would write the values without the reasons.

import { isIPv6 } from 'node:net'
import { explainTrust, type Trust } from '../../core/index.ts'
import type { Role } from '../certificates/authority.ts'
import type { GroupSettings, MemberAddress } from './config.ts'

const HEAD = '# TOML. Lines that begin with # are for you. After a change: coterie doctor'

/** group.toml */
export function groupText(group: GroupSettings): string {
  return `${HEAD}
# The whole group. Each node has its own copy of these settings in its coterie.toml: change all of them, or none.

${groupTables(group)}`
}

export interface Listening {
  /** The local address. */
  readonly listen: string
  /** Where others find a member that is not in the first electorate. */
  readonly address?: { readonly host: string; readonly port: number }
}

/** coterie.toml of one node. `listening` is for servers and members. */
export function nodeText(role: Role, name: string, group: GroupSettings, listening?: Listening): string {
  return `${HEAD}
# Everything that ${name} needs is in this folder; it can be moved to another machine as a whole.

role = ${quote(role)}
# Also in the certificate beside this file; the two must agree.
name = ${quote(name)}
${listening === undefined ? '' : listenText(listening)}
${groupTables(group)}`
}

function listenText({ listen, address }: Listening): string {
  const own = address === undefined ? '' : `\n[address]\nhost = ${quote(address.host)}\nport = ${address.port}\n`
  return `# The address on this machine to listen on: "0.0.0.0" for all of IPv4, "::" for all.
listen = ${quote(listen)}
${own}`
}

/** A server on loopback stays there; one with a real address may be behind a router that knows it by another. */
export function listenOn(host: string): string {
  if (isLoopback(host)) return host
  return isIPv6(host) ? '::' : '0.0.0.0'
}

/** The names of a machine that belong into its certificate. */
export function namedHosts(host: string): string[] {
  return isLoopback(host) ? [host, 'localhost'] : [host]
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}

function groupTables(group: GroupSettings): string {
  return `[group]
name = ${quote(group.name)}
# Random, and in every certificate: another group with the same name is a stranger.
id = ${quote(group.id)}
${trustText(group.trust)}# Clients that may take a lock from its holder (coterie unlock NAME --force). Servers log it.
operators = [${group.operators.map(quote).join(', ')}]

[lock]
# The longest lease, in milliseconds. A server that was not stopped cleanly grants nothing for this long after it is
# back. It must be the same on all servers.
ttlMax = ${group.lock.ttlMax}
# By which share two machines' clocks may differ in speed. 0.01 is generous for working clocks.
drift = ${group.lock.drift}
${aheadText('tokenAheadMax', 'takes a token', group.lock.tokenAheadMax)}
[objects]
# The longest attempt of a client to order operations, in milliseconds. A server that has lost its store (coterie serve
# --rejoin) does not vote for this long. It must be the same everywhere.
attemptMax = ${group.objects.attemptMax}
${aheadText('rankAheadMax', 'promises a turn', group.objects.rankAheadMax)}${eventsText(group)}${group.servers.map((server, at) => serverText(server, at === 0)).join('')}${membersText(group)}`
}

function aheadText(field: string, does: string, value: number | undefined): string {
  if (value === undefined) return ''
  return `# How far ahead of its own wall clock a server ${does}, in milliseconds. It must be the same everywhere.
${field} = ${value}
`
}

function eventsText({ events }: GroupSettings): string {
  if (events === undefined) return ''
  return `
[events]
# Bytes of events that a server keeps, in its memory: of one client, and of all. Clients ask for a part of it (keep).
keepMax = ${events.keepMax}
keepAllMax = ${events.keepAllMax}
`
}

function trustText(trust: Trust): string {
  return `# liars: servers that may do anything. crashes: servers that may be gone, liars included.
# ${explainTrust(trust)}
liars = ${trust.liars}
crashes = ${trust.crashes}
`
}

function serverText(server: GroupSettings['servers'][number], first: boolean): string {
  const lesson = first
    ? `# host and port are where the others find this server. Metrics are served on its own machine only (127.0.0.1).
`
    : ''
  return `
${lesson}[[servers]]
name = ${quote(server.name)}
host = ${quote(server.host)}
port = ${server.port}
metricsPort = ${server.metricsPort}
`
}

function membersText({ membership }: GroupSettings): string {
  if (membership.members.length === 0) return ''
  const { liars, lease, ballots, members } = membership
  return `
[membership]
# Members that may do anything. With 0, one member that grants twice can make two coordinators of one term.
liars = ${liars}
# For how long members promise themselves to a coordinator, in milliseconds.
lease = ${lease}
# What is known of a ballot once it is counted: "sealed", all of it; "secret", only the totals. The same everywhere.
ballots = ${quote(ballots)}
${members.map((member, at) => memberText(member, at === 0)).join('')}`
}

function memberText(member: MemberAddress, first: boolean): string {
  const lesson = first
    ? `# The first electorate. publicKey is of the member's certificate, ballots are sealed to its sealKey; others may join
# later, by a vote of these.
`
    : ''
  return `
${lesson}[[members]]
name = ${quote(member.name)}
host = ${quote(member.host)}
port = ${member.port}
publicKey = ${quote(member.publicKey)}
sealKey = ${quote(member.sealKey)}
${countingText(member)}`
}

/** A key for counting secret ballots, and the proof that the member knows its secret. */
function countingText({ countKey, possession }: MemberAddress): string {
  return countKey === '' ? '' : `countKey = ${quote(countKey)}\npossession = ${quote(possession)}\n`
}

/** Names and hosts hold nothing that TOML escapes and JSON does not. */
function quote(text: string): string {
  return JSON.stringify(text)
}
