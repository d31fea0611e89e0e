import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { freePort } from '../adapters/sockets.ts'
import { root } from '../architecture/sources.ts'

/** An example application in a separate process. */
export interface RunningExample {
  /** The address, without a path. */
  readonly url: string
  /** The output so far. */
  readonly said: () => string
  /** Stops the process. Resolves when it has exited. */
  readonly end: () => Promise<void>
}

/** Starts an example, or a copy of it, as its `npm start` does, on a free port and with only this environment. */
export async function runExample(
  name: 'publisher' | 'advertiser',
  environment: Readonly<NodeJS.Dict<string>>,
  file = `apps/example-${name}/src/server.ts`,
): Promise<RunningExample> {
  const port = await freePort()
  const child = spawn(process.execPath, [file], { cwd: root, env: { PORT: String(port), ...environment } })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', data => {
      said += data
    })
  }
  const exit = once(child, 'close')
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exit])
  if (typeof line !== 'string') throw new Error(`The example ${name} did not start: ${said}`)
  return {
    url: `http://127.0.0.1:${port}`,
    said: () => said,
    async end() {
      child.kill('SIGKILL')
      await exit
    },
  }
}
