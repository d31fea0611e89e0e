import { told } from '../expectations/told.ts'
import { firePixel } from '../report-status.ts'
import { probeOf } from './probe.ts'

/** Fixed choice (Spec 4.3): does a HEAD report the event? */
export const pixelHead = probeOf('pixel_head', ['advertiser', 'postback_secret'], async target => {
  const lead_id = await target.distributedLead()
  const { status } = await target.call('HEAD', `${await target.postbackUrl(lead_id)}&event=completed`)
  const after = await firePixel(target, lead_id, 'completed')
  if (after.json?.status === 'received')
    return ['records_nothing', `HEAD is answered ${status}, and a GET after it is the first report of the event.`]
  if (after.json?.status === 'ignored')
    return ['records', `HEAD is answered ${status}, and a GET after it is a repeat of the event.`]
  return [undefined, `HEAD is answered ${status}, and a GET after it ${told(after)}.`]
})
