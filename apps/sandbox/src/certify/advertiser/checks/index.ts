import { retryOrder, retryPauses } from './bursts.ts'
import { eventChecks } from './events.ts'
import { jsonBody, methodChecks } from './json-calls.ts'
import { keyHeaderOnly } from './keys.ts'
import { type LenderCheck, unlessSilent } from './lender-check.ts'
import { pixelOtherToken, pixelTokensApart } from './pixel-token.ts'
import { pixelAsGiven, pixelGet } from './pixel-url.ts'
import { refusedRedirect } from './redirects.ts'
import { refusedLead, refusedToken } from './refusals.ts'
import { repeatHarmless, repeatIgnored } from './repeats.ts'
import { retryChecks } from './retries.ts'

/** What is checked of a lender's application, in this order: the last one looks at all that came before it. */
export const lenderChecks: readonly LenderCheck[] = [
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
