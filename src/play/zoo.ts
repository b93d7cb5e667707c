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

/** One a line: protocol, bug, what is kept of how many, address, sentence. */
const CAUGHT = `
lock | one-grant-too-few | 0 | 65 | v=1&run=lock.n3.b0.f1.x-one-grant-too-few&seed=1&calm=1&only=none&h=4069f372 | 'a' is held by client-4 (token 24277000) and client-3 (token 25452000)
lock | forgotten-status-reset | 3 | 65 | v=1&run=lock.n3.b0.f1.x-forgotten-status-reset&seed=1&only=21,22,23&h=7acfe177 | server-3 is honest and was blamed: granted another token than was asked for
lock | grant-after-restart | 4 | 31 | v=1&run=lock.n3.b0.f1.x-grant-after-restart&seed=44&only=2,3,10,21&h=88a692e7 | 'a' is held by client-2 (token 5000001) and client-1 (token 2)
lock | lease-from-reply | 4 | 88 | v=1&run=lock.n3.b0.f1.x-lease-from-reply&seed=425&only=14,25,67,86&h=45883134 | 'b' is held by client-2 (token 15626545) and client-1 (token 14276645)
lock | no-drift-factor | 2 | 50 | v=1&run=lock.n3.b0.f1.x-no-drift-factor&seed=7&calm=1&only=4,24&h=182171ef | 'a' is held by client-1 (token 2) and client-2 (token 1)
lock | release-of-any-holder | 3 | 65 | v=1&run=lock.n3.b0.f1.x-release-of-any-holder&seed=1&calm=1&only=37,54,61&h=35f77ca1 | 'a' is held by client-3 (token 11393081) and client-4 (token 10698042)
lock | stray-grant-returned | 26 | 60 | v=1&run=lock.n3.b0.f1.x-stray-grant-returned&seed=11&only=1,3,5,7,12,13,17,19,20,21,22,23,24,26,27,29,45,46,48,49,50,51,52,53,57,58&h=dd4bc689 | 'a' is held by client-2 (token 16498631) and client-4 (token 16498630)
lock | used-token-taken-back | 9 | 60 | v=1&run=lock.n3.b0.f1.x-used-token-taken-back&seed=5&only=10,15,20,23,30,48,49,54,55&h=64c056a4 | 'a': token 6247421 of client-2 after token 7474277
lock | expired-lease-returned | 0 | 65 | v=1&run=lock.n3.b0.f1.x-expired-lease-returned&seed=1&calm=1&only=none&h=fa205135 | client-3 was told too late that 'a' is lost
lock | loss-noticed-late | 1 | 80 | v=1&run=lock.n3.b0.f1.x-loss-noticed-late&seed=3&only=33&h=f8e93473 | client-2 was told too late that 'a' is lost
lock | token-reused-after-restart | 6 | 84 | v=1&run=lock.n3.b0.f1.x-token-reused-after-restart&seed=80&only=16,74,76,77,82,83&h=d4d6f1a5 | 'b': token 3268948 of client-2 after token 11846589
lock | waiter-lost | 3 | 80 | v=1&run=lock.n3.b0.f1.x-waiter-lost&seed=3&calm=1&only=46,66,70&h=432cb6b8 | client-1 was not served within 36 s although everything is healed
lock | waiter-grant-from-arrival | 31 | 113 | v=1&run=lock.n3.b0.f1.x-waiter-grant-from-arrival&seed=53&only=0,2,3,7,11,15,16,17,20,21,23,25,26,28,29,30,31,33,34,39,40,41,44,45,46,47,48,49,54,55,56&h=4ad349ea | 'a' is held by client-3 (token 19641852) and client-1 (token 19641851)
lock | stale-write-accepted | 0 | 65 | v=1&run=lock.n3.b0.f1.x-stale-write-accepted&seed=1&calm=1&only=none&h=9a59449d | 'a' took a write of token 24277000 after 25452002
lock | inquire-overtakes-grant | 5 | 43 | v=1&run=lock.n3.b0.f1.x-inquire-overtakes-grant&seed=17&only=6,28,29,31,34&h=3efcb678 | 'a' is held by client-4 (token 6356196) and client-3 (token 6379418)
lock | kept-by-a-stranger | 3 | 60 | v=1&run=lock.n3.b0.f1.x-kept-by-a-stranger&seed=5&only=42,43,46&h=4c236436 | client-1 was not served within 36 s although everything is healed
lock | floor-0-after-a-lost-store | 5 | 62 | v=1&run=lock.n3.b0.f1.x-floor-0-after-a-lost-store&seed=892&calm=1&only=27,28,42,55,58&h=24e43423 | 'b': token 2 of client-2 after token 2
lock | token-follows-one-server | 0 | 9 | v=1&run=lock.n4.b1.x-token-follows-one-server&seed=6&calm=1&only=none&h=391fd4bf | client-2 was not served within 36 s although everything is healed
lock | largest-token-taken | 0 | 65 | v=1&run=lock.n3.b0.f1.x-largest-token-taken&seed=1&calm=1&only=none&h=1a76d6cc | server-2 is honest and was blamed: claims a token that no clock explains (or it was spoiled: coterie unlock --reset-floor)
lock | granted-to-a-server | 0 | 65 | v=1&run=lock.n3.b0.f1.x-granted-to-a-server&seed=1&calm=1&only=none&h=640680bd | client-2 was not served within 36 s although everything is healed
ordering | committed-goes-back | 3 | 111 | v=1&run=ordering.n3.b0.f1.x-committed-goes-back&seed=5&only=7,12,13&h=5d81469e | a machine threw: broken invariant: object 'a': has version 9 and committed 8
ordering | built-on-proposed | 1 | 22 | v=1&run=ordering.n7.b1.x-built-on-proposed&seed=2&only=8&h=813a86c0 | client-1 at 'a' was not served within 20 s although everything is healed
ordering | one-rank-for-all | 0 | 22 | v=1&run=ordering.n7.b1.x-one-rank-for-all&seed=2&only=none&h=c287a5a5 | client-1 at 'a' was not served within 20 s although everything is healed
ordering | rank-above-the-largest | 0 | 65 | v=1&run=ordering.n7.b1.x-rank-above-the-largest&seed=33&calm=1&only=none&h=0f9604be | client-1 at 'a' was not served within 20 s although everything is healed
ordering | pending-not-told | 0 | 87 | v=1&run=ordering.n3.b0.f1.x-pending-not-told&seed=1&calm=1&only=none&h=7af50826 | client-2 at 'a' was not served within 20 s although everything is healed
ordering | liars-are-enough | 1 | 22 | v=1&run=ordering.n7.b1.x-liars-are-enough&seed=7&calm=1&only=16&h=7caf2817 | operation undefined was applied, and nobody asked for it
ordering | commit-without-propose | 1 | 15 | v=1&run=ordering.n7.b1.x-commit-without-propose&seed=1&calm=1&only=7&h=a5fa39a5 | version 2 of 'a' at client-1 is another than before (lemma 4)
ordering | one-acknowledgement-too-few | 0 | 111 | v=1&run=ordering.n3.b0.f1.x-one-acknowledgement-too-few&seed=5&calm=1&only=none&h=936564f1 | version 8 of 'a' at client-1 is another than before (lemma 4)
ordering | rank-forgotten-at-restart | 1 | 72 | v=1&run=ordering.n3.b0.f1.x-rank-forgotten-at-restart&seed=33&calm=1&only=71&h=905a41b4 | a machine threw: broken invariant: object 'a': took a rank above its promise
ordering | answered-from-proposed | 4 | 87 | v=1&run=ordering.n3.b0.f1.x-answered-from-proposed&seed=10&calm=1&only=4,24,39,77&h=b14953b7 | operation 29 was answered from 4, not 5
ordering | a-vote-for-each-word | 0 | 22 | v=1&run=ordering.n7.b1.x-a-vote-for-each-word&seed=2&only=none&h=e4858a5c | server-4 1 is honest and was blamed: an operation that nobody asked for
ordering | memory-without-bound | 0 | 91 | v=1&run=ordering.n7.b1.x-memory-without-bound&seed=9&calm=1&only=none&h=0b4514c3 | a machine threw: broken invariant: keeps 69146 unvouched bytes of server-6
ordering | parent-not-committed | 4 | 41 | v=1&run=ordering.n3.b0.f1.x-parent-not-committed&seed=31&only=3,4,11,37&h=8ccf6dd1 | client-1 at 'a' was not served within 20 s although everything is healed
ordering | half-done-not-completed | 32 | 84 | v=1&run=ordering.n3.b0.f1.x-half-done-not-completed&seed=13&only=0,3,4,5,13,16,17,36,37,54,55,56,57,58,59,60,61,63,64,65,66,67,68,69,70,73,74,75,78,79,82,83&h=f13c6bbd | a read of version 16 gave '44', not '1000002'
ordering | highest-sequence-number | 18 | 116 | v=1&run=ordering.n3.b0.f1.x-highest-sequence-number&seed=9&only=5,6,10,12,17,21,22,28,29,30,31,41,42,49,50,51,54,55&h=29285537 | command 21 of client-2 at 'a' was not served within 23 s although everything is healed
ordering | read-of-committed-alone | 5 | 59 | v=1&run=ordering.n3.b0.f1.x-read-of-committed-alone&seed=44&calm=1&only=30,31,49,52,58&h=b6c770e5 | a read of version 1 began after operation 19 of version 2
ordering | any-version-is-committed | 0 | 15 | v=1&run=ordering.n7.b1.x-any-version-is-committed&seed=1&calm=1&only=none&h=852b79ea | client-1 at 'a' was not served within 20 s although everything is healed
membership | leave-forged | 0 | 11 | v=1&run=membership.n5.b1.x-leave-forged&seed=10&calm=1&only=none&h=1fc07c47 | member-1 sees member-5 as having left, but it never said so
membership | accusation-unsigned | 0 | 4 | v=1&run=membership.n5.b1.x-accusation-unsigned&seed=46&calm=1&only=none&h=b053db16 | member-1 names member-4 for accusing, and it is honest
membership | old-claims-accepted | 0 | 23 | v=1&run=membership.n5.b1.x-old-claims-accepted&seed=17&only=none&h=ffa18e21 | member-3 goes back from 4294967297 to 4294967296 of member-5
membership | incarnation-not-raised | 0 | 16 | v=1&run=membership.n8.b1.x-incarnation-not-raised&seed=5&calm=1&only=none&h=1d3c7ae2 | member-1 takes member-6 for failed, and nothing is wrong with it
membership | boot-not-raised | 1 | 9 | v=1&run=membership.n8.b1.x-boot-not-raised&seed=4&calm=1&only=3&h=17f0e2ec | member-1 sees member-3 as left 25 s after healing
membership | no-indirect-ping | 1 | 10 | v=1&run=membership.n8.b1.x-no-indirect-ping&seed=3&calm=1&only=9&h=829b8906 | member-2 takes member-1 for suspected, and nothing is wrong with it
membership | notice-believed | 0 | 16 | v=1&run=membership.n8.b1.x-notice-believed&seed=5&calm=1&only=none&h=00ff1817 | member-1 takes member-6 for failed, and nothing is wrong with it
membership | the-gone-forgotten | 1 | 12 | v=1&run=membership.n5.b1.x-the-gone-forgotten&seed=3&calm=1&only=10&h=92009f65 | member-1 sees member-2 as unknown 25 s after healing
membership | no-time-to-refute | 0 | 16 | v=1&run=membership.n8.b1.x-no-time-to-refute&seed=5&calm=1&only=none&h=e3f42bae | member-1 takes member-6 for failed, and nothing is wrong with it
membership | alive-unsigned | 0 | 24 | v=1&run=membership.x-alive-unsigned&seed=30&calm=1&only=none&h=dabfa77f | member-1 names member-5 for two-faced, and it is honest
membership | first-face-stays | 0 | 5 | v=1&run=membership.x-first-face-stays&seed=11&only=none&h=5a4dc5f7 | member-2 and member-4 hold different keys of member-3
membership | vouched-for-by-anyone | 1 | 15 | v=1&run=membership.x-vouched-for-by-anyone&seed=36&calm=1&only=10&h=9e1694b0 | member-1 still sees member-5 15 s after it was gone
membership | flood-not-slowed | 0 | 6 | v=1&run=membership.x-flood-not-slowed&seed=15&calm=1&only=none&h=a6822f20 | member-2 floods, and nobody noticed
election | majority-of-those-seen | 1 | 12 | v=1&run=election.n3.b0.x-majority-of-those-seen&seed=36&calm=1&only=7&h=831faa4d | 'jobs' is held by member-2 (token 2) and member-1 (token 1)
election | literal-weights | 0 | 10 | v=1&run=election.n3.b0.x-literal-weights&seed=1&calm=1&only=none&h=3cb1368e | the count of term 1 of 'jobs', led by member-3: member-1 has 8 votes
election | ties-by-arrival | 0 | 10 | v=1&run=election.n3.b0.x-ties-by-arrival&seed=1&calm=1&only=none&h=9de69aab | the count of term 1 of 'jobs', led by member-2: the candidates are member-1 member-3
election | vote-counted-twice | 0 | 13 | v=1&run=election.n4.b1.x-vote-counted-twice&seed=1&calm=1&only=none&h=c823f361 | the count of term 3 of 'jobs', led by member-2: a voter has two ballots
election | grant-not-saved | 1 | 8 | v=1&run=election.n3.b0.x-grant-not-saved&seed=528&only=7&h=24e85c33 | 'jobs' is held by member-3 (token 2) and member-1 (token 1)
election | promise-not-kept | 1 | 13 | v=1&run=election.n3.b0.x-promise-not-kept&seed=34&only=10&h=64b176be | 'jobs' is held by member-2 (token 2) and member-1 (token 1)
election | promise-forgotten | 1 | 8 | v=1&run=election.n3.b0.x-promise-forgotten&seed=528&only=7&h=05636185 | 'jobs' is held by member-3 (token 2) and member-1 (token 1)
election | no-drift-factor | 0 | 11 | v=1&run=election.n3.b0.x-no-drift-factor&seed=61&only=none&h=21de2de6 | 'jobs' is held by member-2 (token 2) and member-1 (token 1)
election | deadline-from-answer | 1 | 7 | v=1&run=election.n3.b0.x-deadline-from-answer&seed=2012&only=6&h=eb877d26 | 'jobs' is held by member-3 (token 2) and member-1 (token 1)
election | loss-noticed-late | 1 | 13 | v=1&run=election.n4.b1.x-loss-noticed-late&seed=1&calm=1&only=8&h=a163b821 | member-2 was told too late that 'jobs' is lost
election | ballot-of-any-term | 0 | 13 | v=1&run=election.n4.b1.x-ballot-of-any-term&seed=1&calm=1&only=none&h=d004451a | the count of term 4 of 'jobs', led by member-2: a ballot is not valid
election | no-turnout-check | 0 | 12 | v=1&run=election.n3.b0.x-no-turnout-check&seed=10&calm=1&only=none&h=b66741ef | the count of term 1 of 'jobs', led by member-3: 1 ballots of 2
election | one-word-followed | 3 | 8 | v=1&run=election.n4.b1.x-one-word-followed&seed=7&calm=1&only=0,1,7&h=70b2b0ff | member-1, on who leads 'jobs', was not served within 30 s although everything is healed
election | every-call-followed | 0 | 15 | v=1&run=election.n7.b2.x-every-call-followed&seed=8&calm=1&only=none&h=36a6272d | member-1, on who leads 'jobs', was not served within 30 s although everything is healed
election | led-for-ever | 1 | 8 | v=1&run=election.n7.b2.x-led-for-ever&seed=1&only=1&h=b14fa807 | member-5, on who leads 'jobs', was not served within 30 s although everything is healed
election | proved-by-no-signature | 0 | 21 | v=1&run=election.n7.b2.x-proved-by-no-signature&seed=10&calm=1&only=none&h=dfce88af | term 2 of 'jobs' has two coordinators: member-6 and member-3
election | anybody-resigns | 1 | 10 | v=1&run=election.n4.b1.x-anybody-resigns&seed=21&calm=1&only=0&h=bcf83196 | 'mail' is held by member-1 (token 24) and member-2 (token 20)
election | list-without-signatures | 0 | 11 | v=1&run=election.n4.b1.x-list-without-signatures&seed=2&calm=1&only=none&h=f14ad4ab | electorate 2 has two lists: ghost-0 member-1 member-2 member-3 member-4 and ghost-1 member-1 member-2 member-3 member-4
election | apart-for-ever | 0 | 8 | v=1&run=election.x-apart-for-ever&seed=3&only=none&h=858deea7 | member-1, on who leads 'jobs', was not served within 30 s although everything is healed
election | proved-by-too-few | 0 | 8 | v=1&run=election.x-proved-by-too-few&seed=42&only=none&h=1fd9e082 | term 1 of 'mail' has two coordinators: member-1 and member-3
election | term-at-the-floor | 1 | 12 | v=1&run=election.x-term-at-the-floor&seed=4&calm=1&only=4&h=b6b99912 | member-4 granted term 1, and its list begins above 1
election | two-successors | 12 | 130 | v=1&run=election.x-two-successors&seed=853&only=0,1,2,9,10,12,13,17,35,37,45,129&h=78e3fe75 | electorate 3 has two lists: member-1 member-2 member-3 newcomer-1 newcomer-2 and member-1 member-2 member-3
slots | no-possession | 0 | 9 | v=1&run=slots.x-no-possession&seed=2&calm=1&only=none&h=ad72a775 | the ticket of member-3 in round 1 is opened with a known number
slots | share-before-seals | 0 | 15 | v=1&run=slots.x-share-before-seals&seed=1&calm=1&only=none&h=40b78288 | member-3 gave a share of round 1 after 1 seals
slots | share-for-any-point | 0 | 48 | v=1&run=slots.x-share-for-any-point&seed=1&calm=1&only=none&h=416a19d1 | member-4 is honest, and named: it signed two versions of one share
slots | share-twice | 0 | 48 | v=1&run=slots.x-share-twice&seed=1&calm=1&only=none&h=50eed9d7 | member-4 is honest, and named: it signed two versions of one share
slots | own-share-sent | 0 | 15 | v=1&run=slots.x-own-share-sent&seed=1&calm=1&only=none&h=bd6b2676 | the ticket of member-3 in round 1 is opened by a share that its owner gave away
slots | reuse-before-lease | 0 | 15 | v=1&run=slots.x-reuse-before-lease&seed=1&calm=1&only=none&h=3218f855 | slot 'slot-1' is held by member-1 and by member-2
slots | overtaking-round | 5 | 50 | v=1&run=slots.x-overtaking-round&seed=6&calm=1&only=6,15,22,23,24&h=4ffa5e04 | slot 'c' is held by member-2 and by member-4
slots | lease-from-opening | 16 | 20 | v=1&run=slots.x-lease-from-opening&seed=9&only=3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18&h=b6829a65 | slot 'slot-1' is held by member-2 and by member-4
slots | no-drift-factor | 3 | 16 | v=1&run=slots.x-no-drift-factor&seed=4&calm=1&only=0,14,15&h=90b96967 | slot 'slot-1' is held by member-4 and by member-1
slots | no-quiet | 20 | 41 | v=1&run=slots.x-no-quiet&seed=2&calm=1&only=21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40&h=fb493e34 | slot 'slot-1' is held by member-5 and by member-3
slots | quorum-too-small | 2 | 7 | v=1&run=slots.x-quorum-too-small&seed=11&only=4,5&h=31bb26b8 | epoch 4 of member-3 is not that of member-4
slots | no-proof-of-knowledge | 5 | 47 | v=1&run=slots.x-no-proof-of-knowledge&seed=3&only=39,40,41,45,46&h=c624ecf7 | slot 'slot-1' is held by member-3 and by member-5
slots | vote-before-opening | 0 | 15 | v=1&run=slots.x-vote-before-opening&seed=1&calm=1&only=none&h=f8b526cc | slot 'slot-1' is held by member-1 and by member-2
slots | key-posted-again | 1 | 47 | v=1&run=slots.x-key-posted-again&seed=2&calm=1&only=41&h=741c1861 | member-1 is honest, and named: it signed two versions of one key
slots | no-re-encryption | 0 | 15 | v=1&run=slots.x-no-re-encryption&seed=1&calm=1&only=none&h=d9054349 | every ticket of round 1 can be followed through the lap
slots | told-behind-saves | 2 | 37 | v=1&run=slots.x-told-behind-saves&seed=3&calm=1&only=28,35&h=6271fe24 | member-5 was told too late that its seat is over
slots | bad-lap-sealed | 42 | 48 | v=1&run=slots.x-bad-lap-sealed&seed=1&only=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41&h=fdd2851a | slot 'slot-3' is held by member-1 and by member-4
`

/** All of them, by protocol. */
export const zoo: readonly Specimen[] = CAUGHT.trim()
  .split('\n')
  .map(line => {
    const [protocol, bug, kept, of, address, says] = line.split(' | ') as [
      string,
      string,
      string,
      string,
      string,
      string,
    ]
    return { protocol, bug, address, says, kept: Number(kept), of: Number(of) }
  })
