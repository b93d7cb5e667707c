// A member that lies about slots, as a process of its own:
// node lying-member.mjs MEMBER_FOLDER NAME SLOT,SLOT,… LEASE_MS LIE

import { startLyingMember } from '../../dist/lab/oma/lying-member.js'

const [folder, name, slots, lease, lie] = process.argv.slice(2)
await startLyingMember(folder, name, { slots: slots.split(','), lease: Number(lease), liars: 1 }, lie)
process.stdout.write('{"msg":"lying"}\n')
