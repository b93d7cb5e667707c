import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isOutOfFiles } from './open-files.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'coterie-open-files-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

/** A package, and what Node says of its index.js. */
async function missed(name: string, contents: Readonly<Record<string, unknown>>): Promise<Error> {
  const folder = join(dir, 'node_modules', name)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify(contents))
  await writeFile(join(folder, 'there.js'), '')
  return notFound(join(folder, 'index.js'))
}

function notFound(file: string): Error {
  const text = `Cannot find package '${file}' imported from /somewhere/fields.js`
  return Object.assign(new Error(text), { code: 'ERR_MODULE_NOT_FOUND' })
}

/** What a program says that imports a package when it can open nothing more. */
function importWithoutFiles(program: string): Promise<{ code: string; message: string }> {
  return new Promise((resolve, reject) => {
    execFile('bash', ['-c', 'ulimit -n 40; exec "$@"', 'bash', process.execPath, program], (error, stdout) =>
      error === null ? resolve(JSON.parse(stdout)) : reject(error),
    )
  })
}

describe('isOutOfFiles', () => {
  it.each(['EMFILE', 'ENFILE'])('knows %s', code => {
    expect(isOutOfFiles(Object.assign(new Error('open'), { code }))).toBe(true)
  })

  it('knows a package that has a way in and was not found', async () => {
    expect(isOutOfFiles(await missed('with-exports', { exports: './there.js' }))).toBe(true)
    expect(isOutOfFiles(await missed('with-main', { main: './there.js' }))).toBe(true)
  })

  it('knows what Node itself says then', async () => {
    await missed('unopened', { exports: './there.js' })
    const program = join(dir, 'program.mjs')
    const lines = [
      `import { closeSync, openSync } from 'node:fs'`,
      'const open = []',
      `try { for (;;) open.push(openSync('/dev/null')) } catch {}`,
      // The program reads no other package: the thread that resolves has nothing in its memory.
      `const error = await import('unopened').catch(error => error)`,
      'for (const file of open) closeSync(file)',
      'console.log(JSON.stringify({ code: error.code, message: error.message }))',
    ]
    await writeFile(program, lines.join('\n'))
    const said = await importWithoutFiles(program)
    expect(said).toMatchObject({ code: 'ERR_MODULE_NOT_FOUND' })
    expect(isOutOfFiles(said)).toBe(true)
  })

  it('leaves what is broken or missing a bug', async () => {
    expect(isOutOfFiles(await missed('broken', { main: './gone.js' }))).toBe(false)
    expect(isOutOfFiles(await missed('empty', {}))).toBe(false)
    expect(isOutOfFiles(notFound(join(dir, 'nowhere/index.js')))).toBe(false)
    expect(isOutOfFiles(notFound('left-pad'))).toBe(false)
    expect(isOutOfFiles(new Error('another'))).toBe(false)
    expect(isOutOfFiles(undefined)).toBe(false)
  })
})
