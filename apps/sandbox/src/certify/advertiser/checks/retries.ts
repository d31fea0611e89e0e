import { wireError } from '@lead-distribution/contract'
import { type HttpResponse, jsonResponse } from '@lead-distribution/http'
import { failed, passed } from '../../certify-check.ts'
import { isTaken } from '../report-call.ts'
import { counted, type LenderCheck, seconds } from './lender-check.ts'

/** A fault of the service as a report meets it. `answer` has the service do its work first. */
interface Fault {
  readonly name: string
  readonly what: string
  /** How many calls meet it. */
  readonly times: number
  readonly play: (answer: () => Promise<HttpResponse>) => HttpResponse | Promise<HttpResponse>
}

/** A reply of a service that does not do. */
export function fault(status: number): HttpResponse {
  const { body } = wireError('internal_error', 'The service does not do at the moment. Try again later.')
  return jsonResponse(status, body)
}

const faults: readonly Fault[] = [
  { name: '500', what: 'is answered 500', times: 2, play: () => fault(500) },
  { name: '503', what: 'is answered 503', times: 2, play: () => fault(503) },
  { name: 'reset', what: 'meets a connection that is cut', times: 1, play: () => ({ ...fault(500), broken: 'cut' }) },
  {
    name: 'lost_reply',
    what: 'is recorded, and whose reply is lost',
    times: 1,
    play: async answer => ({ ...(await answer()), broken: 'cut' }),
  },
  { name: 'no_reply', what: 'is never answered', times: 1, play: () => ({ ...fault(500), broken: 'withheld' }) },
]

/** One check for each fault: a report is repeated until it has come through (Spec 4.3, rule 3: a repeat is harmless). */
export const retryChecks: readonly LenderCheck[] = faults.map(({ name, what, times, play }) => ({
  id: `retry.${name}`,
  spec: '4.3, 7',
  expected: `A report that ${what} is sent again, until it has come through.`,
  mend: 'Keep each report until it is answered received or ignored, with a time-out for each try: a repeat is harmless.',
  rounds: 'first',
  async run(round) {
    const lead = await round.newLead()
    let left = times
    return round.answering(
      lead,
      async (_call, answer) => (left-- > 0 ? play(answer) : answer()),
      async () => {
        const done = () => round.callsOf(lead).some(isTaken)
        const { calls, trouble } = await round.ask(lead, 'registration', { done })
        if (done()) return passed(`It came through at try ${calls.findIndex(isTaken) + 1}.`)
        if (calls.length === 0) return failed(`${trouble}Nothing arrived for the lead.`)
        return failed(
          `After ${counted(calls.length, 'try')} it had not come through within ${seconds(round.patienceMs)}.`,
        )
      },
    )
  },
}))
