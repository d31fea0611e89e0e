// For the tests of an application that reports on leads; free of ky.
export * from '@lead-distribution/sdk-core/testing'
export {
  createTestPostbackUrl,
  forgeTestPostbackUrls,
  type PostbackFlaw,
  type TestPostback,
} from './testing/test-postback-url.ts'
