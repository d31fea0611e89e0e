import { type AdvertiserCheck, unlessSilent } from './advertiser-check.ts'
import { eventChecks, repeatHarmless, repeatIgnored } from './events.ts'
import { jsonBody, methodChecks } from './json-calls.ts'
import { keyHeaderOnly, pixelAsGiven, pixelGet, pixelOtherToken, pixelTokensApart } from './pixels.ts'
import { refusedLead, refusedRedirect, refusedToken } from './refusals.ts'
import { retryChecks, retryOrder, retryPauses } from './retries.ts'

/** The checks of an advertiser's application, in their order: the last one looks at everything that came before it. */
export const advertiserChecks: readonly AdvertiserCheck[] = [
  ...eventChecks,
  pixelAsGiven,
  pixelOtherToken,
  pixelTokensApart,
  pixelGet,
  repeatHarmless,
  repeatIgnored,
  ...methodChecks,
  jsonBody,
  ...retryChecks,
  retryPauses,
  retryOrder,
  refusedToken,
  refusedLead,
  refusedRedirect,
  keyHeaderOnly,
].map(unlessSilent)
