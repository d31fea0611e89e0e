// A worker that runs one example of a guide against a sandbox of its own.
import { startDemoSandbox } from './demo-sandbox.ts'

/** A message of the worker to the page: a line that the example printed, or its end. */
export type RunMessage = { readonly printed: string } | { readonly ended: 'done' | 'failed' }

const tell = (message: RunMessage) => globalThis.postMessage(message)

// The examples are for a server. An SDK refuses a key in a browser, but these keys are of a sandbox that only exists here.
Object.defineProperty(navigator, 'userAgent', { value: 'Example' })

Object.assign(globalThis, { process: { env: {} } })

for (const level of ['log', 'info', 'warn', 'error'] as const)
  console[level] = (...values: readonly unknown[]) => tell({ printed: values.map(textOf).join(' ') })

addEventListener('message', async ({ data: name }: MessageEvent<string>) => {
  try {
    const { fetch } = await startDemoSandbox()
    // The example needs no change, and can reach nothing else.
    globalThis.fetch = fetch
    await import(/* @vite-ignore */ new URL(`./examples/${name}.js`, globalThis.location.href).href)
    tell({ ended: 'done' })
  } catch (error) {
    tell({ printed: String(error) })
    tell({ ended: 'failed' })
  }
})

/** Returns a value as text, similar to how a terminal shows it. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Error) return String(value)
  const json = JSON.stringify(value, null, 2)?.replaceAll(/"(\w+)": /g, '$1: ') ?? String(value)
  const line = json.replaceAll(/\n\s*/g, ' ')
  return line.length <= 72 ? line : json
}
