import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTarget, type Target } from './target.ts'

/** The servers that are measured, each started the same way. */
export const servers = {
  bare: () => startTarget('apps/bench/src/servers/bare-http.ts'),
  express: () => startTarget('apps/bench/src/servers/bare-express.ts'),
  sandbox: startSandbox,
} as const

/** The name of a server. */
export type ServerName = keyof typeof servers

/** The flags of Node that `npm start` starts the sandbox with. */
const startFlags: string[] = JSON.parse(readFileSync('package.json', 'utf8')).scripts.start.match(/--max-\S+/g)

/** The sandbox as a user starts it, with its data in its own SQLite file. */
async function startSandbox(): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'lead-bench-'))
  const data = join(folder, 'sandbox.db')
  // Without a line for each call: what is measured is the service.
  const args = ['start', '--port', '0', '--json', '--log-level', 'warn', '--data', data]
  const target = await startTarget('apps/sandbox/src/main.ts', args, startFlags)
  return {
    ...target,
    async stop() {
      await target.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
