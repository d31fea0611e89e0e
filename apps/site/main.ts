// Builds the site into `docs/site`, or serves it while you write: `main.ts build`, `main.ts dev`.
import { cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build, dev } from 'astro'
import { buildPlayground } from './playground.ts'

const root = fileURLToPath(new URL('.', import.meta.url))
const out = fileURLToPath(new URL('../../docs/site/', import.meta.url))

await buildPlayground()
if (process.argv[2] === 'dev') await dev({ root })
else {
  // Rendered Markdown is kept from build to build: a change of the plugins would not reach it.
  await build({ root, force: true })
  // Not built there at once: while it is built, it must find what this package depends on.
  rmSync(out, { recursive: true, force: true })
  cpSync(`${root}dist`, out, { recursive: true })
}
