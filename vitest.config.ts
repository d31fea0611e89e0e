import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts'],
    // A title names the statement that its test shows: it must not be cut short.
    taskTitleValueFormatTruncate: 0,
  },
})
