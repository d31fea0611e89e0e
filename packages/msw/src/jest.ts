/**
 * Matchers for Jest.
 * @module @lead-distribution/msw/jest
 */

import { finishFailures, type LeadMatchers, leadMatchers } from './matchers.ts'

export { explainFailuresBy, type LeadMatchers } from './matchers.ts'

declare global {
  namespace jest {
    // The parameter names must match @types/jest.
    // biome-ignore lint/complexity/noBannedTypes: matches @types/jest
    interface Matchers<R, T = {}> extends LeadMatchers {}
  }
}

// For `expect` imported from @jest/globals.
// biome-ignore lint/suspicious/noTsIgnore: an error only if Jest is not installed
/** @ts-ignore - the module is missing without Jest */
declare module '@jest/expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends LeadMatchers {}
}

/** Jest's globals; absent outside a test or with `injectGlobals: false`. */
interface JestGlobals {
  readonly expect?: { extend(matchers: typeof leadMatchers): void }
  readonly afterEach?: (run: () => Promise<void>) => void
}

const { expect, afterEach } = globalThis as JestGlobals
expect?.extend(leadMatchers)
// Jest does not notice a failure after its test has ended.
afterEach?.(finishFailures)
