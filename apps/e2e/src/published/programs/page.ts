// Runs the smoke program in a page: refused at first, because a key does not belong there, then allowed explicitly.
// With fault settings, runs the fault program instead.
import { createAdvertiser } from '@lead-distribution/advertiser-sdk'
import { createPublisher, LeadSdkError } from '@lead-distribution/publisher-sdk'
import { entries } from './entries.ts'
import { type FaultSettings, meetFaults } from './faults.ts'
import { type Settings, smoke } from './smoke.ts'

declare const document: { body: { dataset: Record<string, string | undefined> } }

const settings: Settings | FaultSettings = JSON.parse(document.body.dataset.settings ?? '')
const allowed = { dangerouslyAllowBrowser: true }

function refused(create: typeof createPublisher | typeof createAdvertiser): boolean {
  try {
    create({ baseUrl: 'https://sandbox.example.com/api/v1', apiKey: null })
    return false
  } catch (error) {
    return LeadSdkError.is(error) && error.code === 'config'
  }
}

async function run() {
  if ('faults' in settings) return meetFaults(settings, allowed)
  if (!refused(createPublisher) || !refused(createAdvertiser))
    throw new Error('A client was created in a page without permission.')
  if (entries.some(entry => Object.keys(entry).length === 0)) throw new Error('An entry exports nothing.')
  return { held: 2 + (await smoke(settings, allowed)) }
}

document.body.dataset.ended = JSON.stringify(await run().catch(error => ({ failure: String(error) })))
