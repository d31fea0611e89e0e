import { convertedStatus } from '@lead-distribution/contract'
import { describeResponse, fieldsOf } from '../expectations.ts'
import { firePixel, heldLeads, reportOnNewLead, reportStatus } from '../requests.ts'
import type { Target } from '../target.ts'
import type { Found } from './probe.ts'

async function statusMethods(target: Target): Promise<Found<'status_methods'>> {
  const responses = []
  for (const method of ['POST', 'PATCH'] as const)
    responses.push({ method, status: (await reportOnNewLead(target, convertedStatus, { method })).status })
  const accepted = responses.filter(({ status }) => status === 200).map(({ method }) => method)
  const isClear = accepted.length > 0 && responses.every(({ status }) => [200, 404, 405, 501].includes(status))
  const described = responses.map(({ method, status }) => `${method} gets ${status}`).join(' and ')
  return [isClear ? accepted : undefined, `On separate leads, ${described}.`]
}

/** A name that is on no list. */
const unlisted = 'put_on_the_shelf'

async function statusVocabulary(target: Target): Promise<Found<'status_vocabulary'>> {
  const response = await reportOnNewLead(target, unlisted)
  const about = `The status ${unlisted}, which is on no list, is`
  if (response.status === 200) return ['any', `${about} accepted.`]
  if (response.status === 400 && fieldsOf(response).some(field => field.includes('status')))
    return ['known', `${about} refused with a 400 that names the field.`]
  return [undefined, `${about} neither accepted nor refused with a 400 that names it: ${describeResponse(response)}.`]
}

async function pixelHead(target: Target): Promise<Found<'pixel_head'>> {
  const lead_id = await target.distributedLead()
  const { status } = await target.call('HEAD', `${await target.postbackUrl(lead_id)}&event=completed`)
  const after = await firePixel(target, lead_id, 'completed')
  const about = `HEAD gets ${status}, and a GET after it`
  if (after.json?.status === 'received') return ['records_nothing', `${about} is the first report of the event.`]
  if (after.json?.status === 'ignored') return ['records', `${about} is a repeat of the event.`]
  return [undefined, `${about} gets ${describeResponse(after)}.`]
}

async function distribution(target: Target): Promise<Found<'distribution'>> {
  let tried = 0
  for await (const { holders, willing = 0 } of heldLeads(target)) {
    tried += 1
    if (holders > 1) return ['all_accepting', `On one lead, ${holders} advertisers may report.`]
    if (holders === 1 && willing > 1) {
      const accepting = `By their criteria, ${willing} advertisers accept a lead`
      return ['first_accept', `${accepting}, and one of them may report on it.`]
    }
  }
  const none = `None of ${tried} leads with different amounts is open to reports of two advertisers`
  return [undefined, `${none}, and it is unknown whether two would have accepted one: pass --account.`]
}

async function otherAdvertiser(target: Target): Promise<Found<'other_advertiser'>> {
  for await (const { responses, holders, other: advertiser } of heldLeads(target)) {
    const response = responses[advertiser]
    if (holders === 0 || !response) continue
    const unknown = await reportStatus(target, crypto.randomUUID(), 'registration', { advertiser })
    const isAlike = unknown.status === response.status && unknown.json?.error === response.json?.error
    const compared = `${isAlike ? 'the same as' : `but ${unknown.status}`} for an unknown lead`
    return [`http_${response.status}`, `A report on another advertiser's lead gets ${response.status}, ${compared}.`]
  }
  return [undefined, 'Each lead that was tried belongs to all known advertisers, or to none.']
}

/** Open points about status updates and the pixel. */
export const reportProbes = {
  status_methods: { needs: ['advertiser'], find: statusMethods },
  status_vocabulary: { needs: ['advertiser'], find: statusVocabulary },
  pixel_head: { needs: ['advertiser', 'postback_secret'], find: pixelHead },
  distribution: { needs: ['second_advertiser'], find: distribution },
  other_advertiser: { needs: ['second_advertiser'], find: otherAdvertiser },
} as const
