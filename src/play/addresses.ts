// Addresses of runs of every kind, with the hashes that they carry: what the tests run in Node and in browsers, beside the lessons
// and the zoo. A change of a machine moves them; the test says which hash is right now.

/** Beginnings and attacks of the levels, random visitors, and a run of each playground. */
export const pinnedAddresses: readonly string[] = [
  'v=1&run=lock-printed.n5.b1.f1.s-duel&seed=2&say=server-5:&h=69b9d4b6',
  'v=1&run=lock-printed.n5.b1.f1.s-duel&seed=2&say=server-5:hf&h=dbfb179b',
  'v=1&run=lock-printed.n6.b1.f1.s-duel&seed=2&say=server-6:&h=ccd9e4ea',
  'v=1&run=lock.n4.b1.f1.s-duel&seed=1&say=server-4:&h=d0f39ba1',
  'v=1&run=ordering.n7.b1.f1.s-duel&seed=1&say=server-7:&h=1edcaabd',
  'v=1&run=redlock.n5&seed=2&say=server-5:&h=facf8565',
  'v=1&run=redlock.n5&seed=2&say=server-5:hy&h=22cf3b55',
  'v=1&run=lock.n4.b1.f1.s-duel&seed=399&say=server-4:-nynytt-yh*h&h=9bc42c25',
  'v=1&run=lock.n4.b1.f1.s-duel&seed=940&do=do:client-2:long@4071369;do:client-2:try@2852819&say=server-4:yh-hy-h-*y&h=c52f5426',
  'v=1&run=lock.n4.b1.f1.s-duel&seed=368&do=cut:client-1>server-3@4055794+96684;crash:client-2@2878501+26286&say=server-4:-yt*n&h=950963d5',
  'v=1&run=lock.n4.b1.f1.s-duel&seed=296&do=cut:server-2>client-1@1515232+88545;drift:server-2*0.95;slow:client-1@5759707+5775*122;pause:client-2@2077144+3929;pause:client-1@5742472+75135;pause:server-2@4347645+90737;cut:client-1>server-2@2936232+1308437;cut:client-1>server-2@5334565+2848384&say=server-4:htnhhnnh--nhntyhhthh*t&h=875adae0',
  'v=1&run=lock.n7.b1&seed=17&h=c6ce76dc',
  'v=1&run=lock.n4.b1&seed=23&calm=1&h=517c5af8',
  'v=1&run=lock-printed.n6.b1&seed=5&h=4aaa8587',
  'v=1&run=lock-printed.n5.b1&seed=8&h=a187427e',
  'v=1&run=redlock.n7&seed=4&h=7145357f',
  'v=1&run=centralised.n5&seed=3&h=0293283d',
  'v=1&run=decentralised.n5&seed=6&h=88ef9cd6',
  'v=1&run=ricart-agrawala.n4&seed=9&h=01f2b04a',
  'v=1&run=token-ring.n3&seed=2&h=69a66f19',
  'v=1&run=election.n4.b1&seed=5&only=none&h=7c4a7984',
  'v=1&run=membership.n4.b1&seed=4&only=none&h=5d0f2e08',
  'v=1&run=slots.n3.b0&seed=1&only=0&h=951318a2',
  'v=1&run=ordering.n7.b1.f1.s-duel&seed=3&say=server-7:roic*h&h=b0e530f3',
]

/** What the explorer found of planted bugs, as walks; and one that holds because a step is left out. */
export const pinnedWalks: readonly string[] = [
  'v=1&walk=lock.one-grant-too-few&go=0.0.3.2.3.4&h=d4a4f00a',
  'v=1&walk=lock.no-drift-factor&go=0.0.0.2.2.1.3.3.3.1.3&h=a0308ae8',
  'v=1&walk=lock.no-drift-factor&go=0.0.0.2.2.1.3.3.3&h=b9dd28f6',
  'v=1&walk=ordering.rank-forgotten-at-restart&go=0.0.2.0.0.0.3&h=fd511ab9',
  'v=1&walk=election.promise-not-kept&go=0.1.2.3.4.4&h=d918a7b9',
  'v=1&walk=mutex.ricart-agrawala-forgets&go=3.2.3.0.0.0.0.0.0.0.1&h=a4d79a3e',
]
