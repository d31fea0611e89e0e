import type { CallbackAttempt, Delivery } from '@lead-distribution/engine'

/** How the back end of an advertiser answered a lead. */
export interface BackendAnswer extends CallbackAttempt {}

/** The answer of an advertiser as the sandbox stores it. */
export interface SandboxDelivery extends Delivery {
  /** Where the advertiser has a back end and it took the lead: how that answered, once it did. */
  backend?: BackendAnswer
}

/** Deliveries with the answer of an advertiser's back end. */
export function withAnswer(deliveries: readonly SandboxDelivery[], advertiserId: string, backend: BackendAnswer) {
  return deliveries.map(each => (each.advertiser_id === advertiserId ? { ...each, backend } : each))
}
