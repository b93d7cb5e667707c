// The bug zoo: each planted bug that the simulator finds, as an address with its shrunk story. `npm run pin:zoo` writes it.

/** A planted bug, caught. */
export interface Specimen {
  readonly protocol: string
  readonly bug: string
  readonly address: string
  /** The checker's sentence. */
  readonly says: string
  /** Acts and faults that are left of the run, of how many that were drawn. */
  readonly kept: number
  readonly of: number
}

/** All of them, by protocol. */
export const zoo: readonly Specimen[] = [
  {
    "protocol": "lock",
    "bug": "one-grant-too-few",
    "address": "v=1&run=lock.n3.b0.f1.x-one-grant-too-few&seed=1&calm=1&only=none&h=4069f372",
    "says": "'a' is held by client-4 (token 24277000) and client-3 (token 25452000)",
    "kept": 0,
    "of": 65
  },
  {
    "protocol": "lock",
    "bug": "forgotten-status-reset",
    "address": "v=1&run=lock.n3.b0.f1.x-forgotten-status-reset&seed=1&only=21,22,23&h=7acfe177",
    "says": "server-3 is honest and was blamed: granted another token than was asked for",
    "kept": 3,
    "of": 65
  },
  {
    "protocol": "lock",
    "bug": "grant-after-restart",
    "address": "v=1&run=lock.n3.b0.f1.x-grant-after-restart&seed=44&only=2,3,10,21&h=88a692e7",
    "says": "'a' is held by client-2 (token 5000001) and client-1 (token 2)",
    "kept": 4,
    "of": 31
  },
  {
    "protocol": "lock",
    "bug": "lease-from-reply",
    "address": "v=1&run=lock.n3.b0.f1.x-lease-from-reply&seed=425&only=14,25,67,86&h=45883134",
    "says": "'b' is held by client-2 (token 15626545) and client-1 (token 14276645)",
    "kept": 4,
    "of": 88
  },
  {
    "protocol": "lock",
    "bug": "no-drift-factor",
    "address": "v=1&run=lock.n3.b0.f1.x-no-drift-factor&seed=7&calm=1&only=4,24&h=182171ef",
    "says": "'a' is held by client-1 (token 2) and client-2 (token 1)",
    "kept": 2,
    "of": 50
  },
  {
    "protocol": "lock",
    "bug": "release-of-any-holder",
    "address": "v=1&run=lock.n3.b0.f1.x-release-of-any-holder&seed=1&calm=1&only=37,54,61&h=35f77ca1",
    "says": "'a' is held by client-3 (token 11393081) and client-4 (token 10698042)",
    "kept": 3,
    "of": 65
  },
  {
    "protocol": "lock",
    "bug": "stray-grant-returned",
    "address": "v=1&run=lock.n3.b0.f1.x-stray-grant-returned&seed=11&only=1,3,5,7,12,13,17,19,20,21,22,23,24,26,27,29,45,46,48,49,50,51,52,53,57,58&h=dd4bc689",
    "says": "'a' is held by client-2 (token 16498631) and client-4 (token 16498630)",
    "kept": 26,
    "of": 60
  },
  {
    "protocol": "lock",
    "bug": "used-token-taken-back",
    "address": "v=1&run=lock.n3.b0.f1.x-used-token-taken-back&seed=5&only=10,15,20,23,30,48,49,54,55&h=64c056a4",
    "says": "'a': token 6247421 of client-2 after token 7474277",
    "kept": 9,
    "of": 60
  },
  {
    "protocol": "lock",
    "bug": "expired-lease-returned",
    "address": "v=1&run=lock.n3.b0.f1.x-expired-lease-returned&seed=1&calm=1&only=none&h=fa205135",
    "says": "client-3 was told too late that 'a' is lost",
    "kept": 0,
    "of": 65
  },
  {
    "protocol": "lock",
    "bug": "loss-noticed-late",
    "address": "v=1&run=lock.n3.b0.f1.x-loss-noticed-late&seed=3&only=33&h=f8e93473",
    "says": "client-2 was told too late that 'a' is lost",
    "kept": 1,
    "of": 80
  },
  {
    "protocol": "lock",
    "bug": "token-reused-after-restart",
    "address": "v=1&run=lock.n3.b0.f1.x-token-reused-after-restart&seed=80&only=16,74,76,77,82,83&h=d4d6f1a5",
    "says": "'b': token 3268948 of client-2 after token 11846589",
    "kept": 6,
    "of": 84
  },
  {
    "protocol": "lock",
    "bug": "waiter-lost",
    "address": "v=1&run=lock.n3.b0.f1.x-waiter-lost&seed=3&calm=1&only=46,66,70&h=432cb6b8",
    "says": "client-1 was not served within 36 s although everything is healed",
    "kept": 3,
    "of": 80
  },
  {
    "protocol": "lock",
    "bug": "waiter-grant-from-arrival",
    "address": "v=1&run=lock.n3.b0.f1.x-waiter-grant-from-arrival&seed=53&only=0,2,3,7,11,15,16,17,20,21,23,25,26,28,29,30,31,33,34,39,40,41,44,45,46,47,48,49,54,55,56&h=4ad349ea",
    "says": "'a' is held by client-3 (token 19641852) and client-1 (token 19641851)",
    "kept": 31,
    "of": 113
  },
  {
    "protocol": "lock",
    "bug": "stale-write-accepted",
    "address": "v=1&run=lock.n3.b0.f1.x-stale-write-accepted&seed=1&calm=1&only=none&h=9a59449d",
    "says": "'a' took a write of token 24277000 after 25452002",
    "kept": 0,
    "of": 65
  },
  {
    "protocol": "lock",
    "bug": "inquire-overtakes-grant",
    "address": "v=1&run=lock.n3.b0.f1.x-inquire-overtakes-grant&seed=17&only=6,28,29,31,34&h=3efcb678",
    "says": "'a' is held by client-4 (token 6356196) and client-3 (token 6379418)",
    "kept": 5,
    "of": 43
  },
  {
    "protocol": "lock",
    "bug": "kept-by-a-stranger",
    "address": "v=1&run=lock.n3.b0.f1.x-kept-by-a-stranger&seed=5&only=42,43,46&h=4c236436",
    "says": "client-1 was not served within 36 s although everything is healed",
    "kept": 3,
    "of": 60
  },
  {
    "protocol": "lock",
    "bug": "floor-0-after-a-lost-store",
    "address": "v=1&run=lock.n3.b0.f1.x-floor-0-after-a-lost-store&seed=396&only=3,5,6,7,8,9,17,19,20,21,22,23,24,28,30,36,46,47,48,49,51,52,56,57,58,59,60&h=b5f81fca",
    "says": "'a': token 5000001 of client-3 after token 5000001",
    "kept": 27,
    "of": 61
  },
  {
    "protocol": "lock",
    "bug": "token-follows-one-server",
    "address": "v=1&run=lock.n4.b1.x-token-follows-one-server&seed=6&calm=1&only=none&h=391fd4bf",
    "says": "client-2 was not served within 36 s although everything is healed",
    "kept": 0,
    "of": 9
  },
  {
    "protocol": "lock",
    "bug": "largest-token-taken",
    "address": "v=1&run=lock.n3.b0.f1.x-largest-token-taken&seed=1&calm=1&only=none&h=1a76d6cc",
    "says": "server-2 is honest and was blamed: claims a token that no clock explains (or it was spoiled: coterie unlock --reset-floor)",
    "kept": 0,
    "of": 65
  },
  {
    "protocol": "ordering",
    "bug": "committed-goes-back",
    "address": "v=1&run=ordering.n3.b0.f1.x-committed-goes-back&seed=5&only=7,12,13&h=5d81469e",
    "says": "a machine threw: broken invariant: object 'a': has version 9 and committed 8",
    "kept": 3,
    "of": 111
  },
  {
    "protocol": "ordering",
    "bug": "parent-not-committed",
    "address": "v=1&run=ordering.n3.b0.f1.x-parent-not-committed&seed=31&only=3,4,11,37&h=862bd955",
    "says": "client-1 at 'a' was not served within 20 s although everything is healed",
    "kept": 4,
    "of": 41
  },
  {
    "protocol": "ordering",
    "bug": "built-on-proposed",
    "address": "v=1&run=ordering.n7.b1.x-built-on-proposed&seed=2&only=8&h=6eff77d9",
    "says": "client-1 at 'a' was not served within 20 s although everything is healed",
    "kept": 1,
    "of": 22
  },
  {
    "protocol": "ordering",
    "bug": "one-rank-for-all",
    "address": "v=1&run=ordering.n7.b1.x-one-rank-for-all&seed=2&only=none&h=c287a5a5",
    "says": "client-1 at 'a' was not served within 20 s although everything is healed",
    "kept": 0,
    "of": 22
  },
  {
    "protocol": "ordering",
    "bug": "rank-above-the-largest",
    "address": "v=1&run=ordering.n7.b1.x-rank-above-the-largest&seed=33&calm=1&only=none&h=0f9604be",
    "says": "client-1 at 'a' was not served within 20 s although everything is healed",
    "kept": 0,
    "of": 65
  },
  {
    "protocol": "ordering",
    "bug": "pending-not-told",
    "address": "v=1&run=ordering.n3.b0.f1.x-pending-not-told&seed=1&calm=1&only=none&h=7af50826",
    "says": "client-2 at 'a' was not served within 20 s although everything is healed",
    "kept": 0,
    "of": 87
  },
  {
    "protocol": "ordering",
    "bug": "liars-are-enough",
    "address": "v=1&run=ordering.n7.b1.x-liars-are-enough&seed=7&calm=1&only=16&h=7caf2817",
    "says": "operation undefined was applied, and nobody asked for it",
    "kept": 1,
    "of": 22
  },
  {
    "protocol": "ordering",
    "bug": "commit-without-propose",
    "address": "v=1&run=ordering.n7.b1.x-commit-without-propose&seed=1&calm=1&only=7&h=a5fa39a5",
    "says": "version 2 of 'a' at client-1 is another than before (lemma 4)",
    "kept": 1,
    "of": 15
  },
  {
    "protocol": "ordering",
    "bug": "one-acknowledgement-too-few",
    "address": "v=1&run=ordering.n3.b0.f1.x-one-acknowledgement-too-few&seed=5&calm=1&only=none&h=936564f1",
    "says": "version 8 of 'a' at client-1 is another than before (lemma 4)",
    "kept": 0,
    "of": 111
  },
  {
    "protocol": "ordering",
    "bug": "rank-forgotten-at-restart",
    "address": "v=1&run=ordering.n3.b0.f1.x-rank-forgotten-at-restart&seed=33&calm=1&only=71&h=905a41b4",
    "says": "a machine threw: broken invariant: object 'a': took a rank above its promise",
    "kept": 1,
    "of": 72
  },
  {
    "protocol": "ordering",
    "bug": "answered-from-proposed",
    "address": "v=1&run=ordering.n3.b0.f1.x-answered-from-proposed&seed=10&calm=1&only=4,24,39,77&h=b14953b7",
    "says": "operation 29 was answered from 4, not 5",
    "kept": 4,
    "of": 87
  },
  {
    "protocol": "ordering",
    "bug": "half-done-not-completed",
    "address": "v=1&run=ordering.n3.b0.f1.x-half-done-not-completed&seed=13&only=0,3,4,5,13,16,17,36,37,54,55,56,57,58,59,60,61,63,64,65,66,67,68,69,70,73,74,75,78,79,82,83&h=89c9dcbb",
    "says": "a read of version 16 gave '44', not '1000002'",
    "kept": 32,
    "of": 84
  },
  {
    "protocol": "ordering",
    "bug": "highest-sequence-number",
    "address": "v=1&run=ordering.n3.b0.f1.x-highest-sequence-number&seed=9&only=5,6,10,12,17,21,22,28,29,30,31,41,42,49,50,51,54,55&h=ba82cf5c",
    "says": "command 21 of client-2 at 'a' was not served within 23 s although everything is healed",
    "kept": 18,
    "of": 116
  },
  {
    "protocol": "ordering",
    "bug": "read-of-committed-alone",
    "address": "v=1&run=ordering.n3.b0.f1.x-read-of-committed-alone&seed=44&calm=1&only=30,31,49,52,58&h=65ada0df",
    "says": "a read of version 1 began after operation 19 of version 2",
    "kept": 5,
    "of": 59
  },
  {
    "protocol": "ordering",
    "bug": "a-vote-for-each-word",
    "address": "v=1&run=ordering.n7.b1.x-a-vote-for-each-word&seed=2&only=none&h=e4858a5c",
    "says": "server-4 1 is honest and was blamed: an operation that nobody asked for",
    "kept": 0,
    "of": 22
  },
  {
    "protocol": "ordering",
    "bug": "any-version-is-committed",
    "address": "v=1&run=ordering.n7.b1.x-any-version-is-committed&seed=1&calm=1&only=none&h=60e2c641",
    "says": "client-1 at 'a' was not served within 20 s although everything is healed",
    "kept": 0,
    "of": 15
  },
  {
    "protocol": "ordering",
    "bug": "memory-without-bound",
    "address": "v=1&run=ordering.n7.b1.x-memory-without-bound&seed=9&calm=1&only=none&h=0b4514c3",
    "says": "a machine threw: broken invariant: keeps 69146 unvouched bytes of server-6",
    "kept": 0,
    "of": 91
  },
  {
    "protocol": "membership",
    "bug": "leave-forged",
    "address": "v=1&run=membership.n5.b1.x-leave-forged&seed=10&calm=1&only=none&h=1fc07c47",
    "says": "member-1 sees member-5 as having left, but it never said so",
    "kept": 0,
    "of": 11
  },
  {
    "protocol": "membership",
    "bug": "accusation-unsigned",
    "address": "v=1&run=membership.n5.b1.x-accusation-unsigned&seed=46&calm=1&only=none&h=b053db16",
    "says": "member-1 names member-4 for accusing, and it is honest",
    "kept": 0,
    "of": 4
  },
  {
    "protocol": "membership",
    "bug": "old-claims-accepted",
    "address": "v=1&run=membership.n5.b1.x-old-claims-accepted&seed=17&only=none&h=ffa18e21",
    "says": "member-3 goes back from 4294967297 to 4294967296 of member-5",
    "kept": 0,
    "of": 23
  },
  {
    "protocol": "membership",
    "bug": "incarnation-not-raised",
    "address": "v=1&run=membership.n8.b1.x-incarnation-not-raised&seed=5&calm=1&only=none&h=1d3c7ae2",
    "says": "member-1 takes member-6 for failed, and nothing is wrong with it",
    "kept": 0,
    "of": 16
  },
  {
    "protocol": "membership",
    "bug": "boot-not-raised",
    "address": "v=1&run=membership.n8.b1.x-boot-not-raised&seed=4&calm=1&only=3&h=17f0e2ec",
    "says": "member-1 sees member-3 as left 25 s after healing",
    "kept": 1,
    "of": 9
  },
  {
    "protocol": "membership",
    "bug": "no-indirect-ping",
    "address": "v=1&run=membership.n8.b1.x-no-indirect-ping&seed=3&calm=1&only=9&h=829b8906",
    "says": "member-2 takes member-1 for suspected, and nothing is wrong with it",
    "kept": 1,
    "of": 10
  },
  {
    "protocol": "membership",
    "bug": "notice-believed",
    "address": "v=1&run=membership.n8.b1.x-notice-believed&seed=5&calm=1&only=none&h=00ff1817",
    "says": "member-1 takes member-6 for failed, and nothing is wrong with it",
    "kept": 0,
    "of": 16
  },
  {
    "protocol": "membership",
    "bug": "the-gone-forgotten",
    "address": "v=1&run=membership.n5.b1.x-the-gone-forgotten&seed=3&calm=1&only=10&h=92009f65",
    "says": "member-1 sees member-2 as unknown 25 s after healing",
    "kept": 1,
    "of": 12
  },
  {
    "protocol": "membership",
    "bug": "no-time-to-refute",
    "address": "v=1&run=membership.n8.b1.x-no-time-to-refute&seed=5&calm=1&only=none&h=e3f42bae",
    "says": "member-1 takes member-6 for failed, and nothing is wrong with it",
    "kept": 0,
    "of": 16
  },
  {
    "protocol": "election",
    "bug": "majority-of-those-seen",
    "address": "v=1&run=election.n3.b0.x-majority-of-those-seen&seed=36&calm=1&only=7&h=831faa4d",
    "says": "'jobs' is held by member-2 (token 2) and member-1 (token 1)",
    "kept": 1,
    "of": 12
  },
  {
    "protocol": "election",
    "bug": "literal-weights",
    "address": "v=1&run=election.n3.b0.x-literal-weights&seed=1&calm=1&only=none&h=3cb1368e",
    "says": "the count of term 1 of 'jobs', led by member-3: member-1 has 8 votes",
    "kept": 0,
    "of": 10
  },
  {
    "protocol": "election",
    "bug": "ties-by-arrival",
    "address": "v=1&run=election.n3.b0.x-ties-by-arrival&seed=1&calm=1&only=none&h=9de69aab",
    "says": "the count of term 1 of 'jobs', led by member-2: the candidates are member-1 member-3",
    "kept": 0,
    "of": 10
  },
  {
    "protocol": "election",
    "bug": "vote-counted-twice",
    "address": "v=1&run=election.n4.b1.x-vote-counted-twice&seed=1&calm=1&only=5,6,8&h=4ff3816a",
    "says": "the count of term 4 of 'jobs', led by member-4: a voter has two ballots",
    "kept": 3,
    "of": 13
  },
  {
    "protocol": "election",
    "bug": "grant-not-saved",
    "address": "v=1&run=election.n3.b0.x-grant-not-saved&seed=528&only=7&h=24e85c33",
    "says": "'jobs' is held by member-3 (token 2) and member-1 (token 1)",
    "kept": 1,
    "of": 8
  },
  {
    "protocol": "election",
    "bug": "promise-not-kept",
    "address": "v=1&run=election.n3.b0.x-promise-not-kept&seed=34&only=10&h=64b176be",
    "says": "'jobs' is held by member-2 (token 2) and member-1 (token 1)",
    "kept": 1,
    "of": 13
  },
  {
    "protocol": "election",
    "bug": "promise-forgotten",
    "address": "v=1&run=election.n3.b0.x-promise-forgotten&seed=245&only=1,2,9,10,12&h=bf2363e3",
    "says": "'mail' is held by member-3 (token 12) and member-1 (token 9)",
    "kept": 5,
    "of": 13
  },
  {
    "protocol": "election",
    "bug": "no-drift-factor",
    "address": "v=1&run=election.n3.b0.x-no-drift-factor&seed=61&only=none&h=21de2de6",
    "says": "'jobs' is held by member-2 (token 2) and member-1 (token 1)",
    "kept": 0,
    "of": 11
  },
  {
    "protocol": "election",
    "bug": "deadline-from-answer",
    "address": "v=1&run=election.n3.b0.x-deadline-from-answer&seed=2012&only=6&h=eb877d26",
    "says": "'jobs' is held by member-3 (token 2) and member-1 (token 1)",
    "kept": 1,
    "of": 7
  },
  {
    "protocol": "election",
    "bug": "loss-noticed-late",
    "address": "v=1&run=election.n4.b1.x-loss-noticed-late&seed=1&calm=1&only=8&h=2e2bd1b5",
    "says": "member-2 was told too late that 'jobs' is lost",
    "kept": 1,
    "of": 13
  },
  {
    "protocol": "election",
    "bug": "ballot-of-any-term",
    "address": "v=1&run=election.n4.b1.x-ballot-of-any-term&seed=1&calm=1&only=none&h=0bab890c",
    "says": "the count of term 1 of 'jobs', led by member-2: a ballot is not valid",
    "kept": 0,
    "of": 13
  },
  {
    "protocol": "election",
    "bug": "no-turnout-check",
    "address": "v=1&run=election.n3.b0.x-no-turnout-check&seed=10&calm=1&only=none&h=b66741ef",
    "says": "the count of term 1 of 'jobs', led by member-3: 1 ballots of 2",
    "kept": 0,
    "of": 12
  },
  {
    "protocol": "election",
    "bug": "one-word-followed",
    "address": "v=1&run=election.n7.b2.x-one-word-followed&seed=3&only=none&h=14342301",
    "says": "member-1, on who leads 'jobs', was not served within 30 s although everything is healed",
    "kept": 0,
    "of": 9
  },
  {
    "protocol": "election",
    "bug": "every-call-followed",
    "address": "v=1&run=election.n7.b2.x-every-call-followed&seed=9&only=4&h=9541791c",
    "says": "member-1, on who leads 'jobs', was not served within 30 s although everything is healed",
    "kept": 1,
    "of": 7
  },
  {
    "protocol": "election",
    "bug": "anybody-resigns",
    "address": "v=1&run=election.n7.b2.x-anybody-resigns&seed=2&calm=1&only=12&h=9a6bbbda",
    "says": "'jobs' is held by member-3 (token 29) and member-6 (token 27)",
    "kept": 1,
    "of": 13
  },
  {
    "protocol": "election",
    "bug": "list-without-signatures",
    "address": "v=1&run=election.n7.b2.x-list-without-signatures&seed=1&calm=1&only=none&h=8fd50f2b",
    "says": "electorate 2 has two lists: ghost-0 member-1 member-2 member-3 member-4 member-5 member-6 member-7 and ghost-1 member-1 member-2 member-3 member-4 member-5 member-6 member-7",
    "kept": 0,
    "of": 8
  }
]
