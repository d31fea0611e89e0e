import { fieldsOf } from '../expectations/expect-error.ts'
import { told } from '../expectations/told.ts'
import { reportStatus } from '../report-status.ts'
import { probeOf } from './probe.ts'

/** A word of no list. */
const madeUp = 'put_on_the_shelf'

/** Point 5 (Spec 4.2): which words may a status be? */
export const statusVocabulary = probeOf('status_vocabulary', ['advertiser'], async target => {
  const reply = await reportStatus(target, await target.distributedLead(), madeUp)
  if (reply.status === 200) return ['any', `The status ${madeUp}, which is on no list, is taken.`]
  if (reply.status === 400 && fieldsOf(reply).some(field => field.includes('status')))
    return ['known', `The status ${madeUp}, which is on no list, is a 400 that names the field.`]
  return [undefined, `The status ${madeUp} is neither taken nor a 400 that names the field: ${told(reply)}.`]
})
