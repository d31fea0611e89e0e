// Builds the console (`apps/console`) into `apps/sandbox/console`, which the sandbox serves. Takes milliseconds if
// nothing has changed, so that `npm start` can always call it.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { buildIfChanged, root } from './build-if-changed.mjs'

const sources = [
  'apps/console/{index.html,package.json,typeface-license.ts,vite.config.ts,src/**}',
  'packages/{contract,control-client,simulator}/src/**/*.ts',
  'pnpm-lock.yaml',
]

const { NODE_ENV } = process.env

await buildIfChanged('apps/sandbox/console/.built-from', sources, async () => {
  const vite = await import(createRequire(join(root, 'apps/console/package.json')).resolve('vite'))
  // In a test's mode, React is three times as large.
  process.env.NODE_ENV = 'production'
  await vite.build({ configFile: join(root, 'apps/console/vite.config.ts'), logLevel: 'warn' })
})

// The mode is as it was before: a release builds first, and in this mode the tests of its tarballs would install no
// development dependency.
if (NODE_ENV === undefined) delete process.env.NODE_ENV
else process.env.NODE_ENV = NODE_ENV
