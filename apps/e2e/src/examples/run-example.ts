import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { freePort } from '../adapters/sockets.ts'
import { root } from '../architecture/sources.ts'

/** An example application in a separate process. */
export interface RunningExample {
  /** Its address, without a path. */
  readonly url: string
  /** All that it has printed. */
  readonly said: () => string
  /** Ends it; resolves when it is gone. */
  readonly end: () => Promise<void>
}

/** Starts an example as its `npm start` does, on a free port, with only this environment; or a copy of it from elsewhere. */
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
