// The settings with which `npm run mutate` runs a package's unit tests. `dir` is the package's folder.
import { configDefaults, defineConfig } from 'vitest/config'
import root from '../vitest.config.ts'

const { projects: _, ...test } = root.test

export default defineConfig({
  test: {
    ...test,
    include: ['src/**/*.test.ts'],
    // It would follow calls into other packages, which are not next to the copy of this one.
    exclude: [...configDefaults.exclude, '**/src/walks.test.ts'],
    isolate: false,
  },
})
