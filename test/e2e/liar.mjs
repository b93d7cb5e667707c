// A server that lies about objects, as a process of its own: node liar.mjs SERVER_FOLDER [LIE ...]

import { startLyingObjects } from '../../dist/lab/ordering/lying-server.js'

const [folder, ...lies] = process.argv.slice(2)
await startLyingObjects(folder, lies)
process.stdout.write('{"msg":"listening"}\n')
