// Limits of secret channels, each with its reason.

/** Readers and writers of a channel: the record seals the key to each, 250 bytes a head, and must fit a broker's message. */
export const PARTIES_MAX = 1_000
/** Tags of an event: each is a publish of its own, and a broker's message. */
export const TAGS_MAX = 8
/** Keywords of an event in counted mode, where all go in one message. */
export const COUNTED_TAGS_MAX = 64
/** Keywords of an event in peks mode: each is a pairing for its author when it is new, and a power of one when it is not. */
export const MARKS_MAX = 16
/** Readers of a channel in which every reader has its own seal: an event is sealed and sent once for each. */
export const APART_READERS_MAX = 64
/** Events that are marked at once in peks mode: each costs some milliseconds a reader, for which nothing else is done. */
export const MARKED_BATCH_MAX = 4
/** Names that a reader of a paired channel listens on, at most: one for each writer and keyword, and a broker's subscription. */
export const PAIRED_NAMES_MAX = 20_000
/** Trapdoors that a reader makes at once in peks mode: 0.7 ms each. */
export const TRAPDOORS_MADE_MAX = 32
/** Keywords that one subscription listens on, in all its clauses. */
export const CELLS_MAX = 1_024
/** Subscriptions of one process. */
export const SUBSCRIPTIONS_MAX = 10_000
/** What is sealed, padding included: a NATS server takes messages of one mebibyte unless it is told otherwise. */
export const SEALED_MAX = 1 << 19
/** The shortest text that is sealed: shorter ones are padded to it, and all to a power of two. */
export const PADDED_MIN = 64
/** Events under one signature: as many as are sealed in some twenty milliseconds, for which nothing else is done. Of more, few
 * more would share a message. A path then has at most ten hashes. */
export const SIGNED_MAX = 1_024
export const SIGNED_PATH_MAX = 10
/** Content that travels together, but for one event that has more: a lost message loses little, and padding wastes little. */
export const BUNDLE_BYTES_MAX = 1 << 15
/** Numbers of a tag: more than 2^24 seals of 256 events have, and far from where counting by one ends. */
export const NUMBER_MAX = 2 ** 40
/** Tags of keywords that a writer remembers in an epoch, so that each is computed once: 200 bytes each. */
export const TAGS_KNOWN_MAX = 4_096
/** Bytes of a message through a carrier, names and proofs included. */
export const CARRIED_MAX = 1 << 20
/** Bytes of the name of a subject or topic. */
export const NAME_MAX = 64
/** Events of all writers in one epoch, at most: 96 random bits then repeat with a chance of 2^-49. */
export const EPOCH_EVENTS_MAX = 1 << 24
/** Searchable attributes of a channel. */
export const SEARCHABLE_MAX = 32
/** Tags whose numbers an author keeps in an epoch, and tells at its end: 100 kB. More are told as unknown. */
export const TOTALS_MAX = 4_096
/** Numbers beyond a gap that a reader remembers of one author and tag. */
export const AHEAD_MAX = 1_024
/** Sources and tags whose numbers a reader follows. */
export const FOLLOWED_MAX = 100_000
/** Counters that are kept exactly for each author, at most: 30 s at 20,000 a second. */
export const SEEN_MAX = 600_000
/** Lives of authors that a reader knows at once. */
export const SOURCES_MAX = 10_000
/** Of these, those of one author: one that invents lives takes its own share. Each start of a process is one. */
export const AUTHOR_SOURCES_MAX = 1_000
/** Events that wait for the next signature, or for a lap. */
export const OUTBOX_MAX = 10_000
/** Trapdoors that a matcher holds, and of one reader among them. */
export const TRAPDOORS_MAX = 100_000
export const READER_TRAPDOORS_MAX = 20_000
/** Pairings that wait at a matcher, of all readers together: four milliseconds each, so that the last one waits four seconds. */
export const PAIRINGS_MAX = 1_000
/** Pairings that are done at once: a message waits no longer than they take. */
export const PAIRINGS_TURN = 4
/** Trapdoors of one reader and epoch in peks mode: each is a pairing an event, and an event must fit into what may wait. */
export const SEARCHED_MAX = 1_000
/** Trapdoors in one message. */
export const TRAPDOORS_MESSAGE_MAX = 4_096
/** Tags that a matcher looks out for, of one trapdoor and lap: as many may be lost in a row. */
export const AHEAD_TAGS = 4
/** Instances of one author that count at the same time. */
export const LANES = 4
/** How long a lap of counting is, in milliseconds. */
export const LAP_MS = 10_000
