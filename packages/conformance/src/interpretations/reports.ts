import { convertedStatus } from '@lead-distribution/contract'
import { describeResponse, fieldsOf } from '../expectations.ts'
import { firePixel, reportStatus } from '../report-status.ts'
import { probeOf } from './probe.ts'

/** Point 4 (Spec 4.2): by which methods is a status reported? */
export const statusMethods = probeOf('status_methods', ['advertiser'], async target => {
  const responses = []
  for (const method of ['POST', 'PATCH'] as const) {
    const { status } = await reportStatus(target, await target.distributedLead(), convertedStatus, { method })
    responses.push({ method, status })
  }
  const taken = responses.filter(({ status }) => status === 200).map(({ method }) => method)
  const answers = responses.map(({ method, status }) => `${method} is answered ${status}`).join(' and ')
  const areRefusals = responses.every(({ status }) => [200, 404, 405, 501].includes(status))
  return [taken.length > 0 && areRefusals ? taken : undefined, `On a separate lead, ${answers}.`]
})

/** A name of no list. */
const madeUp = 'put_on_the_shelf'

/** Point 5 (Spec 4.2): which names may a status have? */
export const statusVocabulary = probeOf('status_vocabulary', ['advertiser'], async target => {
  const response = await reportStatus(target, await target.distributedLead(), madeUp)
  if (response.status === 200) return ['any', `The status ${madeUp}, which is on no list, is taken.`]
  if (response.status === 400 && fieldsOf(response).some(field => field.includes('status')))
    return ['known', `The status ${madeUp}, which is on no list, is a 400 that names the field.`]
  return [
    undefined,
    `The status ${madeUp} is neither taken nor a 400 that names the field: ${describeResponse(response)}.`,
  ]
})

/** Fixed choice (Spec 4.3): does a HEAD report the event? */
export const pixelHead = probeOf('pixel_head', ['advertiser', 'postback_secret'], async target => {
  const lead_id = await target.distributedLead()
  const { status } = await target.call('HEAD', `${await target.postbackUrl(lead_id)}&event=completed`)
  const after = await firePixel(target, lead_id, 'completed')
  if (after.json?.status === 'received')
    return ['records_nothing', `HEAD is answered ${status}, and a GET after it is the first report of the event.`]
  if (after.json?.status === 'ignored')
    return ['records', `HEAD is answered ${status}, and a GET after it is a repeat of the event.`]
  return [undefined, `HEAD is answered ${status}, and a GET after it ${describeResponse(after)}.`]
})
