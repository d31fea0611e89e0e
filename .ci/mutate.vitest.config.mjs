// How `npm run mutate` runs the unit tests of one package, whose folder it gives as `dir`.
import { defineConfig } from 'vitest/config'
import root from '../vitest.config.ts'

const { projects: _, ...test } = root.test

export default defineConfig({ test: { ...test, include: ['src/**/*.test.ts'], isolate: false } })
