import { convertedStatus } from '@lead-distribution/contract'
import { reportStatus } from '../report-status.ts'
import { probeOf } from './probe.ts'

/** Point 4 (Spec 4.2): by which methods is a status reported? */
export const statusMethods = probeOf('status_methods', ['advertiser'], async target => {
  const replies = []
  for (const method of ['POST', 'PATCH'] as const) {
    const { status } = await reportStatus(target, await target.distributedLead(), convertedStatus, { method })
    replies.push({ method, status })
  }
  const taken = replies.filter(({ status }) => status === 200).map(({ method }) => method)
  const answers = replies.map(({ method, status }) => `${method} is answered ${status}`).join(' and ')
  const areRefusals = replies.every(({ status }) => [200, 404, 405, 501].includes(status))
  return [taken.length > 0 && areRefusals ? taken : undefined, `On a lead of its own, ${answers}.`]
})
