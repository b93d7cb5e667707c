// node liar-server.js FOLDER: a server of a group that says yes to everybody, as a process of its own.

import { startLyingServer } from '../../../lab/redlock/lying-server.ts'

await startLyingServer(process.argv[2] ?? '.')
process.on('SIGTERM', () => process.exit(0))
process.stdout.write('listening\n')
