// The environments and pools that a user's tests may run in. A page and the sandbox share an origin: with msw 3, the
// environments keep requests of a page to other origins from msw.
import { defineConfig } from 'vitest/config'

const environments = ['node', 'jsdom', 'happy-dom']
const pools = ['forks', 'threads', 'vmThreads']
const url = 'https://sandbox.leads.test/'

const matrix = environments.flatMap(environment =>
  pools.map(pool => ({
    test: {
      name: `${environment}, ${pool}`,
      environment,
      pool,
      include: ['environments.mjs'],
      environmentOptions: { jsdom: { url }, happyDOM: { url } },
      setupFiles: pool === 'vmThreads' ? ['vm-globals.mjs'] : [],
    },
  })),
)

export default defineConfig({
  test: { projects: [...matrix, { test: { name: 'README', include: ['ten-lines.test.ts'] } }] },
})
