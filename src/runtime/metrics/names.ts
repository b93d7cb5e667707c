// Every metric, by its name without `coterie_`: what docs/operating/metrics.md lists, and a test compares.

export type Definitions = Readonly<
  Record<string, { readonly type: 'counter' | 'gauge' | 'histogram'; readonly help: string }>
>

const counter = (help: string) => ({ type: 'counter', help }) as const
const gauge = (help: string) => ({ type: 'gauge', help }) as const
const histogram = (help: string) => ({ type: 'histogram', help }) as const

/** Of a server, at its metrics port. */
export const serverMetrics = {
  messages_received_total: counter('Messages understood'),
  messages_sent_total: counter('Messages sent'),
  messages_refused_total: counter('Frames that were no message'),
  frames_dropped_total: counter(
    'Frames that a connected peer did not get: its queue was full, or they were too large, or could not be written',
  ),
  frames_unsent_total: counter('Frames for peers that were away, as at every restart'),
  saves_total: counter('Records saved'),
  store_sync_seconds: histogram('How long the disk took to make a batch of records durable'),
  connections: gauge('Peers connected now'),
  servers_accused: gauge('Clients and servers that complain about a server, which the label `server` names'),
  servers_silent: gauge('Other servers that have not answered the last greeting'),
  lock_names: gauge('Lock names in memory'),
  lock_leases_out: gauge('Locks that this server holds for somebody now'),
  lock_waiters: gauge('Clients in the lists of this server'),
  lock_highest_token: gauge('The largest lock token granted'),
  lock_recovering_seconds: gauge('Seconds until locks are granted again'),
  lock_grants_total: counter('Locks granted by this server'),
  lock_refusals_total: counter('Requests for a lock that was held, or whose token was refused'),
  lock_renewals_total: counter('Leases renewed by this server'),
  lock_renewals_refused_total: counter('Renewals that came too late'),
  lock_grant_seconds: histogram('From the request for a lock to its grant by this server'),
  lock_complaints_total: counter('Complaints of clients about servers that lied about locks'),
  event_complaints_total: counter('Complaints of clients and servers about servers that lied about events'),
  ledger_lies_total: counter('Kinds of words of other servers about ledgers that cannot be'),
  ledger_servers_caught: gauge('Kinds of such words of one server, which the label `server` names'),
  objects: gauge('Objects in memory'),
  object_entries: gauge('Entries of all objects'),
  object_sessions: gauge('Sessions of all objects, leases among them'),
  object_sessions_silent: gauge('Sessions not heard of for longer than their time: about to be ended'),
  object_operations_pending: gauge('Operations that wait to be ordered'),
  object_versions_behind: gauge('Versions known to be decided whose content is missing'),
  object_versions_total: counter('Versions proposed to this server and taken by it'),
  object_commit_seconds: histogram('From the proposal of a version to the word that it is decided'),
  object_complaints_total: counter('Complaints of clients about servers that lied about objects'),
  object_rejoining: gauge('1 while this server takes its state from the others'),
} as const satisfies Definitions

/** Of a process that connects with `metrics: { registry }`. */
export const clientMetrics = {
  client_messages_received_total: counter('Messages understood'),
  client_messages_sent_total: counter('Messages sent'),
  client_messages_refused_total: counter('Frames that were no message'),
  client_frames_dropped_total: counter('Frames that a connected server did not get'),
  client_frames_unsent_total: counter('Frames for servers that were away'),
  client_connections: gauge('Servers connected now'),
  client_lock_grants_total: counter('Locks acquired'),
  client_lock_refusals_total: counter('Requests for a lock that ended without it'),
  client_lock_renewals_total: counter('Times that a lease was made longer'),
  client_lock_waiters: gauge('Requests for locks under way'),
  client_locks_held: gauge('Locks held now'),
  client_locks_lost_total: counter('Locks lost before they were released'),
  client_lock_grant_seconds: histogram('From the request for a lock to its lease'),
  client_object_commit_seconds: histogram('From an operation to its answer'),
  client_object_read_seconds: histogram('From a linearizable read to its answer'),
  client_object_failures_total: counter('Operations and reads that ended without an answer'),
  client_watch_delay_seconds: histogram("From the first server's word of a version to its watchers here"),
  client_sessions_lost_total: counter('Sessions of objects that were lost'),
  client_server_answer_seconds: gauge(
    'How long the server in the label `server` takes to answer, or has owed an answer: who is slow, or silent',
  ),
  client_lies_total: counter('Words of a server, named in the label `server`, that cannot be true'),
} as const satisfies Definitions

/** Of a process that joins with `metrics: { registry }`. */
export const memberMetrics = {
  member_messages_received_total: counter('Messages understood'),
  member_messages_sent_total: counter('Messages sent'),
  member_messages_refused_total: counter('Frames that were no message'),
  member_frames_dropped_total: counter('Frames that a connected member did not get'),
  member_frames_unsent_total: counter('Frames for members that were away'),
  member_saves_total: counter('Records saved'),
  member_store_sync_seconds: histogram('How long the disk took to make a batch of records durable'),
  member_connections: gauge('Peers connected now'),
  member_terms_won_total: counter('Terms for which this member was elected'),
  member_terms_lost_total: counter('Terms that ended before this member gave them back'),
  member_seats_total: counter('Seats that this member was given'),
  member_seats_lost_total: counter('Seats that this member lost'),
  member_caught_total: counter('What a member, named in the label `member`, was caught at; how, in the label `how`'),
} as const satisfies Definitions
