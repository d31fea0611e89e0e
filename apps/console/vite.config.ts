import { defineConfig } from 'vite'
import { typefaceLicense } from './typeface-license.ts'

/** The sandbox to use during development. */
const sandbox = 'http://127.0.0.1:4010'

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  plugins: [typefaceLicense],
  // Relative, because the sandbox may be mounted at any path.
  base: command === 'serve' ? '/_sandbox/' : './',
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(['/api/v1', '/_sandbox/v1', '/_sandbox/openapi.json'].map(path => [path, sandbox])),
  },
  build: {
    outDir: '../sandbox/console',
    emptyOutDir: true,
    target: 'baseline-widely-available',
    // The page's policy forbids data URLs for scripts and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The sandbox publishes this bundle, so it includes the licenses of its dependencies.
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      checks: { pluginTimings: false },
      // `use client` means nothing here, because everything is for the client.
      onwarn: (warning, report) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || report(warning),
    },
  },
}))
