import { failed, passed } from '../../certify-check.ts'
import { isTaken } from '../report-call.ts'
import { until } from '../until.ts'
import { counted, type LenderCheck, seconds } from './lender-check.ts'
import { fault } from './retries.ts'

/** How long the service is down, milliseconds. */
const downMs = 6_000
/** So many calls about one lead within that time are a storm. Five tries with a doubling wait are not nearly as many. */
const stormCalls = 20

/** A service that is down is not helped by who asks it without a pause. */
export const retryPauses: LenderCheck = {
  id: 'retry.pauses',
  spec: '7',
  expected: `A service that is down is asked less than ${stormCalls} times in ${seconds(downMs)} about one report.`,
  mend: 'Wait before each further try, longer each time and with some chance in it: half a second, one, two, four.',
  rounds: 'first',
  async run(round) {
    const lead = await round.newLead()
    const count = () => round.callsOf(lead).length
    return round.answering(
      lead,
      async () => fault(502),
      async () => {
        const { trouble } = await round.ask(lead, 'registration', { done: calls => calls.length > 0 })
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

/** How long the first of two events is refused after the second was asked for, milliseconds. */
const heldMs = 4_000

/** The story of a loan is told from its beginning. */
export const retryOrder: LenderCheck = {
  id: 'retry.order',
  spec: '6.1',
  expected: 'Where the first event of a lead does not come through, the next one waits for it.',
  mend: 'Send the events of a lead in the order in which they happened: one queue for each lead.',
  rounds: 'first',
  async run(round) {
    const lead = await round.newLead()
    let isDown = true
    const taken = (name: string) => round.callsOf(lead).find(call => call.event === name && isTaken(call))
    return round.answering(
      lead,
      async (call, answer) =>
        isDown && round.callsOf(lead).some(each => each.call === call && each.event === 'registration')
          ? fault(502)
          : answer(),
      async () => {
        await round.ask(lead, 'registration', { done: calls => calls.length > 0 })
        await round.ask(lead, 'approved', { done: () => true })
        await until(() => taken('approved') !== undefined, heldMs)
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
