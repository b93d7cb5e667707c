// coterie slots: a seat among members, without telling the others which.

import type { Command } from 'commander'
import { SettingsError } from '../../core/index.ts'
import { slotsLevels } from '../../slots/index.ts'
import { duration } from '../duration.ts'
import { action, choiceArgument, choiceOption, logOption, newCommand, several, wholeNumber } from '../output.ts'
import { meant } from '../similar.ts'
import { letGo } from '../slots/let-go.ts'
import { joinSlots, requestSeat, type SlotsLine } from '../slots/member.ts'
import { showStatus } from '../slots/status.ts'
import { verify } from '../slots/verify.ts'
import { FENCE_HELP, fenceOption } from '../under/run.ts'

const WORDS = ['request', 'join', 'status', 'let-go']
const FAIRNESS = ['lottery', 'rotating']

const EXAMPLE = `
Example:
  $ coterie slots channels request --config shop/members/member-1 --slots ch1,ch2,ch3 --lease 60s -- ./send.sh
      joins, waits for a seat, and runs the command with COTERIE_SLOT set; the other members do not learn which
  $ coterie slots channels join --config shop/members/member-2 --slots ch1,ch2,ch3 --lease 60s
      takes part in the rounds and wants nothing: the seats of the others hide among more members
  $ coterie slots channels status --config shop/clients/admin
      round, phase, members and epoch, as a member tells them; never who has what
  $ coterie slots verify channels-member-3.evidence --config shop/clients/admin
      whether these bytes prove that a member cheated

  $ coterie slots channels let-go --config shop/members/member-1
      this member opened the name with slots, a lease or a level by mistake, and does not run now: it forgets the name

All members must be given the same slots, lease and level, and run: every seat is dealt by all of them together. A member that
ends is left out after a while, and then nothing is dealt for one lease; --repeat keeps a member that works often.
Before the lease ends (a tenth of it, 5 s at most), the command gets SIGTERM, and SIGKILL at half of what is left. There is
no renewal: it would tell who holds. If coterie itself is ended by kill -9, the command goes on beyond its seat, and only
the watchdog or a guard at what it uses helps.

A name that was let go can be opened with other settings, and not with the old ones again: what the member said with them
is forgotten. Before, end every command under a seat of that name, at all members: with other settings nobody counts
with the old leases.

${FENCE_HELP}

Exit codes: request: the command's own; 1 no seat in time or it could not join, 127 the command could not be started,
128 + n it was ended by signal n. join, status: 0 left or shown, 1 it could not join or no member answered. let-go: 0
let go, 1 the member runs, 2 it never opened the name. verify: 0 the evidence holds, 1 it does not. All: 2 wrong usage.`

export function slotsCommand(): Command {
  return newCommand('slots')
    .argument('<name>', 'name of the slots; or: verify')
    .addArgument(choiceArgument('<what>', 'what to do; with verify: the file', WORDS))
    .argument('[command...]', 'with request: the command and its arguments, after --')
    .option('--config <folder>', "request and join: the member's folder; status and verify: a client's")
    .option('--slots <names>', 'what is shared, with commas between', several)
    .option('--lease <duration>', 'the longest hold (default: 60s)', duration)
    .addOption(choiceOption('--level <level>', 'against whom it holds (default: verified)', slotsLevels))
    .addOption(
      choiceOption('--fairness <kind>', 'rotating: served within n rounds, with a leak (default: lottery)', FAIRNESS),
    )
    .option('--concurrent', 'several rounds at once; how long each slot is taken becomes public')
    .option('--paced', 'words wait for a beat, so that how long a member took tells nothing')
    .option('--on-demand', 'no rounds while nobody asks; who asks becomes public')
    .option('--liars <number>', "members that may do anything (default: the group's)", wholeNumber)
    .option('--timeout <duration>', 'how long to wait for a seat (default: for ever)', duration)
    .option('--repeat', 'request again whenever the command has ended with 0, until Ctrl-C')
    .addOption(fenceOption())
    .option('--evidence <folder>', 'where evidence against cheats is written')
    .addOption(logOption())
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(slots))
}

async function slots(name: string, what: string, command: string[], line: SlotsLine): Promise<void> {
  if (name === 'verify') return verify(what, line)
  switch (what) {
    case 'request':
      return requestSeat(name, command, line)
    case 'join':
      return joinSlots(name, line)
    case 'status':
      return showStatus(name, line)
    case 'let-go':
      return letGo(name, line)
    default:
      throw new SettingsError(
        `coterie slots NAME does request, join, status or let-go, not ${JSON.stringify(what)}.${meant(what, WORDS)}`,
      )
  }
}
