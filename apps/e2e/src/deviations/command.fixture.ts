import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../architecture/root.ts'

/** What a process of the command left behind. */
export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `lead-conformance` as a process; nothing of this process's environment but what is given goes along. */
export async function runCommand(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const child = spawn(process.execPath, ['packages/conformance/src/cli/main.ts', ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, NO_COLOR: '1', ...env },
    timeout: 120_000,
  })
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', text => {
      said[stream] += text
    })
  const [code] = await once(child, 'close')
  return { code, ...said }
}

/** A folder that is gone with the test. */
export async function openFolder() {
  const path = await mkdtemp(join(tmpdir(), 'conformance-'))
  return {
    file: (name: string) => join(path, name),
    read: (name: string) => readFile(join(path, name), 'utf8'),
    async write(name: string, value: unknown) {
      await writeFile(join(path, name), JSON.stringify(value))
      return join(path, name)
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

/** A server with the given answers that counts its calls. */
export async function openServer(answer: RequestListener, host = '127.0.0.1') {
  const calls: string[] = []
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`)
    request.resume().on('end', () => answer(request, response))
  }).listen(0, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    calls,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
