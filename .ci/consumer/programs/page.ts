// The smoke program in a page: first refused, for a key does not belong there, and then allowed outright.
import { createAdvertiser } from '@lead-distribution/advertiser-sdk'
import { createPublisher, LeadSdkError } from '@lead-distribution/publisher-sdk'
import { entries } from './entries.ts'
import { type Settings, smoke } from './smoke.ts'

declare const document: { body: { dataset: Record<string, string | undefined> } }

const settings: Settings = JSON.parse(document.body.dataset.settings ?? '')

function refused(create: typeof createPublisher | typeof createAdvertiser): boolean {
  try {
    create({ baseUrl: `${settings.service}/api/v1`, apiKey: null })
    return false
  } catch (error) {
    return LeadSdkError.is(error) && error.code === 'config'
  }
}

let ended: { held: number } | { failure: string }
try {
  if (!refused(createPublisher) || !refused(createAdvertiser)) throw new Error('A client was made in a page unasked.')
  if (entries.some(entry => Object.keys(entry).length === 0)) throw new Error('An entry exports nothing.')
  ended = { held: 2 + (await smoke(settings, { dangerouslyAllowBrowser: true })) }
} catch (error) {
  ended = { failure: String(error) }
}
document.body.dataset.ended = JSON.stringify(ended)
