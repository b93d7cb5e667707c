// Why a lie of a server is not named: what an honest server could have said, or what nobody hears twice. A lie of which the table
// says this is within what is promised; one that is neither here nor among those that prove themselves is an oversight, and a test
// finds it.

const SILENCE = 'silence is no proof'
const SLOWNESS = 'slowness is no proof'
const OLD = 'old words were true'
const BEHIND = 'it may be behind'

/** By part and lie. */
export const NO_PROOF: Readonly<Record<string, string>> = {
  'lock/always-yes': 'each client hears only what an honest server may say',
  'lock/colluding': 'each client hears only what an honest server may say',
  'lock/equivocating': 'each client hears only what an honest server may say',
  'lock/floor-denier': 'its store may have been lost, too',
  'lock/inquisitor': 'the token that it names is the one that is asked for',
  'lock/silent': SILENCE,
  'lock/slow': SLOWNESS,
  'lock/too-low': "another client's clock may be so far ahead",
  'lock/usurping': 'only servers hear it, and give it nothing',
  'ordering/choosy': SILENCE,
  'ordering/flooding': 'only while what it names is still open',
  'ordering/heavy-heads': 'a version may be newer than what is known here',
  'ordering/lifting': 'the proposal may have been made',
  'ordering/rank-burner': 'the rank may have been promised',
  'ordering/refusing': 'the rank may have been promised',
  'ordering/replaying': OLD,
  'ordering/silent': SILENCE,
  'ordering/slow': SLOWNESS,
  'ordering/stale': BEHIND,
  'ordering/two-faced': 'the proposal may have been made',
  'ordering/undertaker': 'it may not have heard of the session',
  'ordering/yes-saying': 'it may have the version from a client that lies',
  'events/acks-without-storing': 'nobody hears twice what it holds',
  'events/behind': BEHIND,
  'events/cursor-forger': 'nobody signs what it was shown',
  'events/cutting': 'it may have cut them',
  'events/filling': 'only where it shows events that nobody signed',
  'events/forging': 'only where a number cannot be',
  'events/hiding': BEHIND,
  'events/hoarding': 'somebody else may have been given them',
  'events/nodes-as-events': 'only where it was asked for an event that has a proof',
  'events/old-cursors': OLD,
  'events/replaying': OLD,
  'events/silent': SILENCE,
  'events/slow': SLOWNESS,
  'events/spoilt-batches': 'only where it was asked for several events of a batch',
  'events/wrong-digests': 'only where it then shows the events',
  'ledger/answers old': BEHIND,
  'ledger/boasts': 'keepers that are not known here may have certified more',
  'ledger/gives rubbish': 'only to a server that is behind',
  'ledger/replaying': OLD,
  'ledger/silent': SILENCE,
  'ledger/slow': SLOWNESS,
  'ledger/withholds': SILENCE,
  'lives/calls-old': 'it may have seen a later life',
  'lives/says-nothing': SILENCE,
  'lives/takes-back': 'it may have been told of the later life in between',
  'lives/welcomes-all': 'it may not have seen the later life',
  'node/bad-frames': 'the log names the peer and the reason; a frame says nothing',
}
