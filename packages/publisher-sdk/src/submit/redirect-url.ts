import { isUri } from '@lead-distribution/contract'

declare const checked: unique symbol

/** An address that the service gave for this very lead, checked to be http or https. Only a result carries one. */
export type RedirectUrl = string & { readonly [checked]: 'RedirectUrl' }

/** Whether a value of a reply is an address that a customer can be sent to. */
export function isRedirectUrl(value: unknown): value is RedirectUrl {
  return typeof value === 'string' && /^https?:\/\/[\x21-\x7e]+$/i.test(value) && isUri(value)
}
