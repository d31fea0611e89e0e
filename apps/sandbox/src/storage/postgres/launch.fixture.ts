import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** Starts a server in its own process, on a free port unless the flags set one; it ends with the test. */
export function launch(data: string, ...flags: string[]) {
  const main = fileURLToPath(new URL('../../main.ts', import.meta.url))
  const child = spawn(process.execPath, [main, 'start', '--port', '0', '--json', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LEAD_SANDBOX_DATA: data },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  return {
    child,
    /** Resolves to the exit code or signal, and the output on stderr. */
    exit: once(child, 'close').then(([code, signal]) => ({ end: code ?? signal, said })),
    /** Resolves to the server's URL when it is ready. */
    ready: once(createInterface({ input: child.stdout }), 'line').then(([line]) => String(JSON.parse(line).url)),
  }
}
