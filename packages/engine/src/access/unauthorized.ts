import { wireError } from '@lead-distribution/contract'

/**
 * The one refusal of every caller who may not (Spec 5): a missing key, an unknown key, a key of the other
 * scope, a key in a query string, a wrong token, the token of another lead, a lead that does not exist.
 */
export const unauthorized = wireError(
  'unauthorized',
  'Send a valid API key of this endpoint in the apikey header, or the token of the postback URL as it was given.',
)
