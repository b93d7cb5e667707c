// All commands: what the list of them says of each, and where it is. A command is loaded when it is called, so that a
// server does not carry the laboratory, and `coterie --version` carries nothing.

import type { Command } from 'commander'
import { laboratory } from './laboratory/here.ts'

export interface CommandEntry {
  /** What follows its name in the list of commands; a test compares it with the command itself. */
  readonly usage: string
  readonly description: string
  load(): Promise<Command>
}

export const commands: Readonly<Record<string, CommandEntry>> = {
  up: {
    usage: '[options]',
    description: 'make a group on this machine if there is none, start all its servers, and watch it',
    load: async () => (await import('./commands/up.ts')).upCommand(),
  },
  init: {
    usage: '[options] <dir>',
    description: 'make a group: its authority, certificates and config files',
    load: async () => (await import('./commands/init.ts')).initCommand(),
  },
  client: {
    usage: '',
    description: 'manage the clients of a group',
    load: async () => (await import('./commands/client.ts')).clientCommand(),
  },
  member: {
    usage: '',
    description: 'manage the members of a group: processes that elect, gossip and share slots',
    load: async () => (await import('./commands/member.ts')).memberCommand(),
  },
  renew: {
    usage: '[options] <dir> [names...]',
    description: 'make new certificates for the servers, clients and members of a group, before the old ones expire',
    load: async () => (await import('./commands/renew.ts')).renewCommand(),
  },
  serve: {
    usage: '[options] <folder>',
    description: 'run one server of a group',
    load: async () => (await import('./commands/serve.ts')).serveCommand(),
  },
  doctor: {
    usage: '[options] [path]',
    description: 'explain what is wrong with a group, a server or a client: settings, certificates, ports, stores',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  },
  status: {
    usage: '[options]',
    description: 'show which servers of the group answer',
    load: async () => (await import('./commands/status.ts')).statusCommand(),
  },
  lock: {
    usage: '[options] <name> <command...>',
    description: 'run a command while holding a lock',
    load: async () => (await import('./commands/lock.ts')).lockCommand(),
  },
  unlock: {
    usage: '[options] [name]',
    description: 'take a lock from its holder (operators only)',
    load: async () => (await import('./commands/unlock.ts')).unlockCommand(),
  },
  locks: {
    usage: '[options]',
    description: 'show who holds which lock',
    load: async () => (await import('./commands/locks.ts')).locksCommand(),
  },
  members: {
    usage: '[options]',
    description: 'show the members of a group',
    load: async () => (await import('./commands/members.ts')).membersCommand(),
  },
  coordinator: {
    usage: '[options] <name>',
    description: 'show who leads',
    load: async () => (await import('./commands/coordinator.ts')).coordinatorCommand(),
  },
  lead: {
    usage: '[options] <name> <command...>',
    description: 'join as a member, and run a command while leading',
    load: async () => (await import('./commands/lead.ts')).leadCommand(),
  },
  bandit: {
    usage: '',
    description: 'find the best of several arms, or earn most, without anybody seeing the rewards',
    load: async () => (await import('./commands/bandit.ts')).banditCommand(),
  },
  slots: {
    usage: '[options] <name> <what> [command...]',
    description: 'share slots among members, without telling who has which',
    load: async () => (await import('./commands/slots.ts')).slotsCommand(),
  },
  join: {
    usage: '[options]',
    description: 'be a member of a group',
    load: async () => (await import('./commands/join.ts')).joinCommand(),
  },
  get: {
    usage: '[options] <path>',
    description: 'print the value of an entry of the tree',
    load: async () => (await import('./commands/tree/get.ts')).getCommand(),
  },
  set: {
    usage: '[options] <path> <value>',
    description: 'set an entry of the tree',
    load: async () => (await import('./commands/tree/set.ts')).setCommand(),
  },
  delete: {
    usage: '[options] <path>',
    description: 'delete an entry of the tree',
    load: async () => (await import('./commands/tree/delete.ts')).deleteCommand(),
  },
  list: {
    usage: '[options] [path]',
    description: 'list the children of an entry of the tree',
    load: async () => (await import('./commands/tree/list.ts')).listCommand(),
  },
  watch: {
    usage: '[options] <path>',
    description: 'show every change of an entry of the tree',
    load: async () => (await import('./commands/tree/watch.ts')).watchCommand(),
  },
  lease: {
    usage: '',
    description: 'bind entries of the tree to leases, which run out',
    load: async () => (await import('./commands/tree/lease.ts')).leaseCommand(),
  },
  txn: {
    usage: '[options]',
    description: 'change several entries of the tree, all or none',
    load: async () => (await import('./commands/tree/txn.ts')).txnCommand(),
  },
  object: {
    usage: '[options] [name]',
    description: 'show objects as the servers have them',
    load: async () => (await import('./commands/object.ts')).objectCommand(),
  },
  ledger: {
    usage: '',
    description: 'keep accounts together: pay, check receipts, audit, and move value between ledgers',
    load: async () => (await import('./commands/ledger.ts')).ledgerCommand(),
  },
  dump: {
    usage: '[options]',
    description: 'write the tree as lines of JSON',
    load: async () => (await import('./commands/tree/dump.ts')).dumpCommand(),
  },
  restore: {
    usage: '[options]',
    description: 'put a dump of the tree back',
    load: async () => (await import('./commands/tree/restore.ts')).restoreCommand(),
  },
  sim: {
    usage: '[options] [protocol]',
    description: 'run a protocol in the simulator, under faults and liars drawn from a seed',
    load: () => laboratory.sim(),
  },
  explore: {
    usage: '[options] <protocol>',
    description: 'try every interleaving of a small system',
    load: () => laboratory.explore(),
  },
  dedup: {
    usage: '[options] [files...]',
    description: 'drop lines that came before, in fixed memory',
    load: async () => (await import('./commands/dedup.ts')).dedupCommand(),
  },
  completion: {
    usage: '<shell>',
    description: 'print a script that completes commands and options in bash, zsh or fish',
    load: async () => (await import('./completion/command.ts')).completionCommand(commands),
  },
  channel: {
    usage: '',
    description: 'keep a secret channel: who may read and write what a broker carries and cannot read',
    load: async () => (await import('./commands/channel.ts')).channelCommand(),
  },
  matcher: {
    usage: '[options]',
    description: 'find what readers of counted channels want, beside a broker, without reading it',
    load: async () => (await import('./commands/matcher.ts')).matcherCommand(),
  },
  publish: {
    usage: '[options] [attributes...]',
    description: 'publish an event: a topic or attributes, and what it carries',
    load: async () => (await import('./commands/publish.ts')).publishCommand(),
  },
  subscribe: {
    usage: '[options] <filter>',
    description: 'print the events that a filter wants, as they come',
    load: async () => (await import('./commands/subscribe.ts')).subscribeCommand(),
  },
  events: {
    usage: '[options]',
    description: 'show the channels of events, what is kept, and how far subscriptions are',
    load: async () => (await import('./commands/events.ts')).eventsCommand(),
  },
  filter: {
    usage: '',
    description:
      'try filters of events, in our own language or that of SNS, EventBridge, Pub/Sub, CloudEvents, MQTT, NATS',
    load: async () => (await import('./commands/filter.ts')).filterCommand(),
  },
  lab: {
    usage: '',
    description: "reproduce the papers' tables and figures",
    load: () => laboratory.lab(),
  },
}

/** The command itself, with everything that it needs. */
export async function loadCommand(name: string): Promise<Command> {
  const { description, load } = commands[name]!
  return (await load()).description(description)
}
