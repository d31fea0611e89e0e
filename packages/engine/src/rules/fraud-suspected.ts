import { ipv4InRange } from '@lead-distribution/contract'
import { type Judge, notStated } from './rule.ts'

/**
 * @spec 2.12/fraud_suspected
 * The specification doesn't give the signals: here it is the network that the consents were given from.
 */
export const fraudSuspected: Judge = ({ lead, product }) => {
  const address = lead.consents.metadata?.ip_address
  if (address === undefined || !product) return notStated
  const threshold = product.criteria.fraud_ip_ranges
  return {
    passes: !threshold.some(range => ipv4InRange(address, range)),
    input: address,
    threshold,
    hint: "Send consents.metadata.ip_address from outside the product's fraud_ip_ranges.",
  }
}
