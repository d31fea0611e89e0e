import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { root } from '../architecture/sources.ts'

/** An example application in a separate process. */
export interface RunningExample {
  /** The address of each of its two servers, by the name that it prints. */
  readonly urls: Readonly<Record<string, string>>
  /** All that it has said on its console. */
  readonly said: () => string
  /** Ends it by a signal; its exit code and signal. */
  readonly end: (signal?: NodeJS.Signals) => Promise<readonly [code: number | null, signal: string | null]>
}

/**
 * Starts an example as its `npm start` does, on free ports, with only this environment; or a copy
 * of its `src` from elsewhere.
 */
export async function runExample(
  name: 'publisher' | 'advertiser',
  environment: Readonly<NodeJS.Dict<string>>,
  source = `apps/example-${name}/src`,
): Promise<RunningExample> {
  const child = spawn(process.execPath, [`${source}/server.ts`], {
    cwd: root,
    env: { PORT: '0', OPERATOR_PORT: '0', CONSOLE_PORT: '0', ...environment },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', data => {
      said += data
    })
  }
  const exit = once(child, 'close').then(([code, signal]) => [code, signal] as const)
  const urls: Record<string, string> = {}
  for await (const line of createInterface({ input: child.stdout })) {
    const [, server, url] = /^(\w+): (http:\S+)$/.exec(line) ?? []
    if (server && url) urls[server] = url
    if (Object.keys(urls).length === 2) break
  }
  if (Object.keys(urls).length < 2) throw new Error(`The example ${name} did not start: ${said}`)
  // The reader above has stopped; what comes now is still kept.
  child.stdout.resume()
  return {
    urls,
    said: () => said,
    async end(signal = 'SIGTERM') {
      child.kill(signal)
      return exit
    },
  }
}
