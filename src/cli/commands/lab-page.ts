// coterie lab serve, coterie lab export FOLDER: the laboratory as a page. It is a folder of plain files that the build
// made; serving them is all that a server does, and opened from a disk they work as well.

import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { FileError, Unavailable } from '../../core/index.ts'
import { makeFolder } from '../../runtime/files.ts'
import { action, newCommand, print, tell, wholeNumber } from '../output.ts'

const SERVE_EXAMPLE = `
Example:
  $ coterie lab serve
      the laboratory in a browser: play a lying server, step through every run; Ctrl-C stops it

Exit codes: 0 stopped by Ctrl-C, 1 the port is in use or the page is not built, 2 wrong usage.`

const EXPORT_EXAMPLE = `
Example:
  $ coterie lab export break-it
      the same as a folder of plain files: open break-it/index.html, or put the folder on any web server

Exit codes: 0 written, 1 the folder has something in it, cannot be written, or the page is not built, 2 wrong usage.`

const PORT = 7601
const HOST = '127.0.0.1'
/** As the page says itself; frames only a header can forbid. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

export function labServeCommand(): Command {
  return newCommand('serve')
    .description('the laboratory as a page on this machine: play a lying server, step through every run')
    .option('--port <port>', 'where it listens, on this machine only', wholeNumber, PORT)
    .addHelpText('after', SERVE_EXAMPLE)
    .action(action(serve))
}

export function labExportCommand(): Command {
  return newCommand('export')
    .description('write the page as a folder of plain files, which also open from a disk')
    .argument('<folder>', 'where to; it must be new or empty')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXPORT_EXAMPLE)
    .action(action(exportTo))
}

async function serve({ port }: { readonly port: number }): Promise<void> {
  const server = pageServer(await pageFiles())
  await listen(server, port)
  const address = `http://${HOST}:${(server.address() as AddressInfo).port}/`
  tell(`the laboratory is at ${address}; Ctrl-C stops it`)
  await new Promise<void>(stopped => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stopped)
  })
  server.closeAllConnections()
  server.close()
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((listening, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE' ? 'another program listens there; choose another with --port' : error.message
      reject(new Unavailable(`cannot listen on ${HOST}:${port}: ${why}.`))
    })
    server.listen(port, HOST, listening)
  })
}

/** Serves these files, and nothing else: no name from a request ever becomes a path. */
export function pageServer(files: ReadonlyMap<string, Uint8Array>): Server {
  return createServer((request, response) => answer(files, request, response))
}

function answer(files: ReadonlyMap<string, Uint8Array>, request: IncomingMessage, response: ServerResponse): void {
  const name = (request.url ?? '/').split('?')[0]!.slice(1) || 'index.html'
  const found = files.get(name)
  const reads = request.method === 'GET' || request.method === 'HEAD'
  response.setHeader('x-content-type-options', 'nosniff')
  response.setHeader('content-security-policy', POLICY)
  response.setHeader('referrer-policy', 'no-referrer')
  response.setHeader('cross-origin-opener-policy', 'same-origin')
  if (!reads || found === undefined) {
    response.writeHead(reads ? 404 : 405, { 'content-type': 'text/plain; charset=utf-8' })
    response.end(reads ? 'there is no such page.\n' : 'this page is only read.\n')
    return
  }
  const type = TYPES[extname(name)] ?? 'application/octet-stream'
  response.writeHead(200, { 'content-type': type, 'content-length': found.length, 'cache-control': 'no-cache' })
  response.end(request.method === 'HEAD' ? undefined : found)
}

async function exportTo(folder: string, options: { readonly json?: boolean }): Promise<void> {
  const files = await pageFiles()
  const taken = `${folder} is not empty; choose a new folder.`
  await makeFolder(folder, taken, async unfinished => {
    // Others may read it: a web server, for one.
    await chmod(unfinished, 0o755)
    for (const [name, bytes] of files) await writeFile(join(unfinished, name), bytes)
  })
  const index = join(resolve(folder), 'index.html')
  print(options.json, { folder: resolve(folder), files: [...files.keys()] }, () => `wrote ${index}`)
}

/** What the build made: beside the compiled sources, or in dist where the sources themselves run. */
const PLACES = ['../../../page/', '../../../dist/page/'].map(path => fileURLToPath(new URL(path, import.meta.url)))

/** The files of the built page, by name. */
export async function pageFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  for (const place of PLACES) {
    const names = await readdir(place).catch((): string[] => [])
    if (!names.includes('core.js')) continue
    return new Map(
      await Promise.all(names.sort().map(async name => [name, await readFile(join(place, name))] as const)),
    )
  }
  throw new FileError('the page is not built; in a clone of the repository, npm run build makes it.')
}
