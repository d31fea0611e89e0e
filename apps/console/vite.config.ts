import { defineConfig } from 'vite'

/** Where a sandbox runs while the console is developed. */
const sandbox = 'http://127.0.0.1:4010'

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  // The built page finds its files beside itself, whatever path the sandbox is mounted at.
  base: command === 'serve' ? '/_sandbox/' : './',
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(['/api/v1', '/_sandbox/v1', '/_sandbox/openapi.json'].map(path => [path, sandbox])),
  },
  build: {
    outDir: '../sandbox/console',
    emptyOutDir: true,
    target: 'baseline-widely-available',
    // The policy of the page allows no data URLs for scripts and fonts: every file is a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The sandbox publishes what is bundled here: the licences of others go with it.
    license: { fileName: 'licences.md' },
    rolldownOptions: {
      // `use client` says nothing where everything is for the client.
      onwarn: (warning, report) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || report(warning),
    },
  },
}))
