import { wireError } from '@lead-distribution/contract'
import { type HttpResponse, jsonResponse } from '@lead-distribution/http'
import { failed, passed } from '../../check.ts'
import { isTaken, until } from '../round.ts'
import { type AdvertiserCheck, counted, seconds } from './advertiser-check.ts'

/** A fault of the service that is injected into a report. `answer` lets the service do its work first. */
interface Fault {
  readonly name: string
  readonly what: string
  /** How many calls it matches. */
  readonly times: number
  readonly respond: (answer: () => Promise<HttpResponse>) => HttpResponse | Promise<HttpResponse>
}

/** The response of a service that fails. */
export function failedResponse(status: number): HttpResponse {
  const { body } = wireError('internal_error', 'The service is down at the moment. Try again later.')
  return jsonResponse(status, body)
}

const faults: readonly Fault[] = [
  { name: '500', what: 'is answered 500', times: 2, respond: () => failedResponse(500) },
  { name: '503', what: 'is answered 503', times: 2, respond: () => failedResponse(503) },
  {
    name: 'reset',
    what: 'meets a connection that is cut',
    times: 1,
    respond: () => ({ ...failedResponse(500), broken: 'cut' }),
  },
  {
    name: 'lost_reply',
    what: 'is recorded, and whose reply is lost',
    times: 1,
    respond: async answer => ({ ...(await answer()), broken: 'cut' }),
  },
  {
    name: 'no_reply',
    what: 'is never answered',
    times: 1,
    respond: () => ({ ...failedResponse(500), broken: 'withheld' }),
  },
]

/** One check for each fault: a report is repeated until it has come through (Spec 4.3, rule 3: a repeat is harmless). */
export const retryChecks: readonly AdvertiserCheck[] = faults.map(({ name, what, times, respond }) => ({
  id: `retry.${name}`,
  spec: '4.3, 7',
  expected: `A report that ${what} is sent again, until it has come through.`,
  fix: 'Keep each report until it is answered received or ignored, with a time-out for each try: a repeat is harmless.',
  rounds: 'first',
  async run(round) {
    const lead = await round.newLead()
    let left = times
    return round.answering(
      lead,
      async (_call, answer) => (left-- > 0 ? respond(answer) : answer()),
      async () => {
        const done = () => round.callsOf(lead).some(isTaken)
        const { calls, trouble } = await round.report(lead, 'registration', { done })
        if (done()) return passed(`It came through at try ${calls.findIndex(isTaken) + 1}.`)
        if (calls.length === 0) return failed(`${trouble}Nothing arrived for the lead.`)
        return failed(
          `After ${counted(calls.length, 'try')} it had not come through within ${seconds(round.patienceMs)}.`,
        )
      },
    )
  },
}))

/** How long the service is down, milliseconds. */
const downMs = 6_000
/** So many calls about one lead within that time are a storm. Five tries with a doubling wait are not nearly as many. */
const stormCalls = 20

/** A service that is down gets no better by calls without a pause. */
export const retryPauses: AdvertiserCheck = {
  id: 'retry.pauses',
  spec: '7',
  expected: `A service that is down is asked less than ${stormCalls} times in ${seconds(downMs)} about one report.`,
  fix: 'Wait before each further try, longer each time and with some randomness in it: half a second, one, two, four.',
  rounds: 'first',
  async run(round) {
    const lead = await round.newLead()
    const count = () => round.callsOf(lead).length
    return round.answering(
      lead,
      async () => failedResponse(502),
      async () => {
        const { trouble } = await round.report(lead, 'registration', { done: calls => calls.length > 0 })
        if (count() === 0) return failed(`${trouble}Nothing arrived for the lead.`)
        const storms = await until(() => count() >= stormCalls, downMs)
        return storms
          ? failed(
              `The service was down, and the application asked it ${stormCalls} times in less than ${seconds(downMs)}.`,
            )
          : passed(`The service was down for ${seconds(downMs)}, and was asked ${counted(count(), 'time')}.`)
      },
    )
  },
}

/** How long the first of two events is refused after the second was reported, at least, milliseconds. */
const heldMs = 4_000

/** The events of a loan are reported in their order. */
export const retryOrder: AdvertiserCheck = {
  id: 'retry.order',
  spec: '6.1',
  expected: 'Where the first event of a lead does not come through, the next one waits for it.',
  fix: 'Send the events of a lead in the order in which they happened: one queue for each lead.',
  rounds: 'first',
  async run(round) {
    const lead = await round.newLead()
    let isDown = true
    const taken = (name: string) => round.callsOf(lead).find(call => call.event === name && isTaken(call))
    return round.answering(
      lead,
      async (call, answer) =>
        isDown && round.callsOf(lead).some(each => each.call === call && each.event === 'registration')
          ? failedResponse(502)
          : answer(),
      async () => {
        await round.report(lead, 'registration', { done: calls => calls.length > 0 })
        await round.report(lead, 'approved', { done: () => true })
        await until(() => taken('approved') !== undefined, Math.max(heldMs, round.quietMs))
        isDown = false
        if (taken('approved')) return failed('The event approved came through while registration was still refused.')
        const both = await until(
          () => taken('approved') !== undefined && taken('registration') !== undefined,
          round.patienceMs,
        )
        const [registration, approved] = [taken('registration'), taken('approved')]
        if (!both || !registration || !approved)
          return failed(`Not both events had come through ${seconds(round.patienceMs)} after the service was back.`)
        if (approved.call.at < registration.call.at)
          return failed('The event approved came through before registration.')
        return passed('Both came through, the first one first.')
      },
    )
  },
}
