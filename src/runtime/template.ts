// The text of the config files that `coterie init` writes. They are read and edited by people, so each setting comes
// with what it means and what to mind; a serializer would write the values without the reasons.

import { explainTrust, type Trust } from '../core/index.ts'
import type { Role } from './authority.ts'
import type { GroupSettings } from './config.ts'

const HEAD = '# TOML. Lines that begin with # are for you. After a change: coterie doctor'

/** group.toml */
export function groupText(group: GroupSettings): string {
  return `${HEAD}
# The whole group. Each node has its own copy of these settings in its coterie.toml: change all of them, or none.

${groupTables(group)}`
}

/** coterie.toml of one node. `listen` is for servers. */
export function nodeText(role: Role, name: string, group: GroupSettings, listen?: string): string {
  return `${HEAD}
# Everything that ${name} needs is in this folder; it can be moved to another machine as a whole.

role = ${quote(role)}
# Also in the certificate beside this file; the two must agree.
name = ${quote(name)}
${listen === undefined ? '' : listenText(listen)}
${groupTables(group)}`
}

function listenText(listen: string): string {
  return `# The address on this machine to listen on: "0.0.0.0" for all of IPv4, "::" for all.
listen = ${quote(listen)}
`
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
${group.servers.map((server, at) => serverText(server, at === 0)).join('')}`
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

/** Names and hosts hold nothing that TOML escapes and JSON does not. */
function quote(text: string): string {
  return JSON.stringify(text)
}
