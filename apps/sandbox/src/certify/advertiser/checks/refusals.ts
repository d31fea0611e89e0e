import { randomBytes, randomUUID } from 'node:crypto'
import { wireError } from '@lead-distribution/contract'
import { jsonResponse } from '@lead-distribution/http'
import { type Finding, failed, passed } from '../../certify-check.ts'
import { type LenderLead, statusUrl } from '../lender-lead.ts'
import type { LenderRound } from '../lender-round.ts'
import { counted, type LenderCheck } from './lender-check.ts'

/** The pixel and the JSON call, each tried twice: more is not tried where the answer cannot change. */
const mostTries = 4

const mend =
  'Do not send again by yourself what was answered 401 or 404: the answer stays the same. Set it aside, tell your staff, and go on with the other leads.'

/** The token or the key is not taken, now and ever. */
export const refusedToken: LenderCheck = {
  id: 'refused.token',
  spec: '4.3, 5',
  expected: 'A report that is answered 401 is not sent again and again, and holds up no other lead.',
  mend,
  rounds: 'first',
  async run(round) {
    const lead = await round.newLead()
    const { status, body } = wireError('unauthorized', 'The key or the token is not valid.')
    return round.answering(
      lead,
      async () => jsonResponse(status, body),
      async () => {
        const { calls, trouble } = await round.ask(lead, 'registration', { done: each => each.length > 0 })
        return calls.length === 0 ? failed(`${trouble}Nothing arrived for the lead.`) : afterRefusal(round, lead)
      },
    )
  },
}

/** A lead that the service does not know: the pixel is answered 401, the JSON call 404. */
export const refusedLead: LenderCheck = {
  id: 'refused.lead',
  spec: '4.2, 4.3',
  expected: 'A lead that the service does not know is not reported again and again, and holds up no other lead.',
  mend,
  rounds: 'first',
  async run(round) {
    const { base_url } = round.account()
    const lead_id = randomUUID()
    const status_url = statusUrl(base_url, lead_id)
    const postback_url = `${status_url}?token=${randomBytes(32).toString('hex')}`
    const lead = { lead_id, status_url, postback_url, amount: 5000, term_months: 24 }
    await round.ask(lead, 'registration')
    return afterRefusal(round, lead)
  },
}

/** Has another lead be reported meanwhile, and counts what still came for the one that was refused. */
async function afterRefusal(round: LenderRound, refused: LenderLead): Promise<Finding> {
  await round.quiet()
  const other = await round.ask(await round.newLead(), 'registration')
  await round.quiet()
  const tries = round.callsOf(refused).length
  if (tries > mostTries) return failed(`It was sent ${counted(tries, 'time')}, and refused each time.`)
  if (!other.taken) return failed(`${other.trouble}The report of another lead behind it did not come through.`)
  if (tries === 0) return passed('The application took no such lead in, and reported the next one.')
  return passed(`It was sent ${counted(tries, 'time')}, and the report of another lead came through.`)
}
