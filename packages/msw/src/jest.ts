/**
 * Matchers for Jest.
 * @module @lead-distribution/msw/jest
 */

import { finishFailures, type LeadMatchers, leadMatchers } from './matchers.ts'

export { explainFailuresBy, type LeadMatchers } from './matchers.ts'

declare global {
  namespace jest {
    // The names of the parameters are those of @types/jest.
    // biome-ignore lint/complexity/noBannedTypes: as there
    interface Matchers<R, T = {}> extends LeadMatchers {}
  }
}

// For those who import `expect` from @jest/globals.
// biome-ignore lint/suspicious/noTsIgnore: it is an error only where Jest is not installed
/** @ts-ignore - no module, without Jest */
declare module '@jest/expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends LeadMatchers {}
}

/** The globals of Jest; absent outside of a test, and if `injectGlobals` is false. */
interface JestGlobals {
  readonly expect?: { extend(matchers: typeof leadMatchers): void }
  readonly afterEach?: (run: () => Promise<void>) => void
}

const { expect, afterEach } = globalThis as JestGlobals
expect?.extend(leadMatchers)
// Jest does not notice a failure that comes after its test.
afterEach?.(finishFailures)
