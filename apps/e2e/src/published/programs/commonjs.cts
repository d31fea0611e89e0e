// TypeScript in a CommonJS file: `import` becomes `require`.
import { createPublisher, LeadSdkError } from '@lead-distribution/publisher-sdk'

import sdk = require('@lead-distribution/advertiser-sdk')

export const publisher = createPublisher({ baseUrl: 'https://sandbox.example.com/api/v1' })
export const postback = (raw: string) => sdk.PostbackUrl.parse(raw, { baseUrl: 'https://sandbox.example.com/api/v1' })
export const isFault = (error: unknown) => LeadSdkError.is(error)
