import { told } from '../expectations/told.ts'
import { probeOf } from './probe.ts'

/** Fixed choice (Spec 2.4): is a customer's e-mail address the same one in other letters' case? */
export const emailLetterCase = probeOf('email_letter_case', [], async target => {
  const lead = target.submission()
  const address = lead.customer.contact.email.address.toUpperCase()
  await target.submit(lead)
  const reply = await target.submit(target.submission({ 'customer.contact.email.address': address }))
  const { status, rejection_reason } = reply.json ?? {}
  if (rejection_reason === 'customer_already_exists')
    return ['ignored', 'A customer who comes back with the e-mail address in capital letters exists already.']
  if (status === 'new' || status === 'distributed')
    return ['kept_apart', 'A customer who comes back with the e-mail address in capital letters is another one.']
  return [undefined, `A customer who comes back with the e-mail address in capital letters is answered ${told(reply)}.`]
})
