// How `npm run mutate` runs the unit tests of one package, whose folder it gives as `dir`.
import { configDefaults, defineConfig } from 'vitest/config'
import root from '../vitest.config.ts'

const { projects: _, ...test } = root.test

export default defineConfig({
  test: {
    ...test,
    include: ['src/**/*.test.ts'],
    // It follows calls through files of other packages, which are not where the copy of this package is.
    exclude: [...configDefaults.exclude, '**/src/walks.test.ts'],
    isolate: false,
  },
})
