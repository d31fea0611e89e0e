/**
 * Test callbacks, right and forged. `fetch` of `@lead-distribution/msw` is the service for tests without a server.
 * @module @lead-distribution/publisher-sdk/testing
 */

import '@lead-distribution/sdk-core/preload'

export {
  type CallbackFlaw,
  createTestCallback,
  createTestSigningSecret,
  type ForgeableCallback,
  type ForgedCallbacks,
  forgeTestCallbacks,
  type SignatureFlaw,
  type TestCallback,
  type UrlSecretFlaw,
} from './testing/test-callback.ts'
