// Lets go of a slots name that a member opened by mistake, while the member does not run.

import { FileError, lettingGo } from '../core/index.ts'
import type { MemberConfig } from './config/config.ts'
import { exists } from './files.ts'
import { createLogStorage } from './storage/log.ts'

/** Of the member node's part. */
const LANE = 'slots'

/** False where the name is not known. Throws a `FileError` where the member runs: its store is in use. */
export async function letGoOfSlots({ storeFolder }: Pick<MemberConfig, 'storeFolder'>, name: string): Promise<boolean> {
  // A store that is made here would be taken for one that was lost.
  if (!(await exists(storeFolder))) return false
  let failed: (error: Error) => void = () => {}
  const storage = await createLogStorage({ folder: storeFolder }).open(error => failed(error))
  try {
    const record = lettingGo((await storage.read()).get(LANE) ?? [], name)
    if (record === undefined) return false
    await new Promise<void>((resolve, reject) => {
      failed = error => reject(new FileError(`${storeFolder} could not be written: ${error.message}`))
      storage.save(LANE, record, 'append', resolve)
    })
    return true
  } finally {
    await storage.close()
  }
}
