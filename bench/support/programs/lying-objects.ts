// node lying-objects.js FOLDER: a server of a group that lies about objects, as a process of its own.

import { startLyingObjects } from '../../../lab/ordering/lying-server.ts'

await startLyingObjects(process.argv[2] ?? '.')
process.on('SIGTERM', () => process.exit(0))
process.stdout.write('listening\n')
