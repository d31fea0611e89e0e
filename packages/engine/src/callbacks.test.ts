import { pixelEvents, type SettingsChange, usageEvents } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { attemptCallback, callbackEventName, type EgressResult, type OutboundCallback } from './callbacks.ts'
import { accountWith, noon } from './facts.fixture.ts'
import type { CallbackRecord } from './lead-record.ts'

const callback: CallbackRecord = {
  callback_id: 'c1',
  lead_id: 'l1',
  event: 'loan_issued',
  url: 'x:',
  state: 'pending',
  attempts: [],
  due_at: noon,
}
const failedTry = { at: 1, status: 500, ms: 2 }

/** Attempts a callback. The receiver responds this way after 7 ms of real time and 40 ms of the tenant's time. */
async function tried(result: EgressResult, settings: SettingsChange = {}, more: Partial<CallbackRecord> = {}) {
  const sent: OutboundCallback[] = []
  const account = accountWith(settings)
  let [now, realNow] = [noon, 1_000]
  const egress = {
    async send(outbound: OutboundCallback) {
      sent.push(outbound)
      now += 40
      realNow += 7
      return result
    },
  }
  const ports = { egress, clock: { now: () => now }, realClock: { now: () => realNow } }
  return { outcome: await attemptCallback(ports, account, { ...callback, ...more }), sent, account }
}

const url = 'http://127.0.0.1:3000/callbacks?source=loans&lead_id=l1&event=loan_issued'

describe('an attempt of a callback', () => {
  it('uses the current callback URL, with the lead and the event', async () => {
    const { sent } = await tried({ delivered: true, status: 200 })
    expect(sent).toEqual([{ callback_id: 'c1', url, at: noon, timeoutMs: 10_000 }])
  })

  it("is signed with the publisher's secret if the settings require it", async () => {
    const { sent, account } = await tried(
      { delivered: true, status: 200 },
      { callback_signature: 'standard_webhooks', callback_timeout: 'PT3S' },
    )
    expect(sent).toMatchObject([{ signingSecret: account.publisher.callback_secret, timeoutMs: 3_000 }])
  })

  it('is the last one if delivered', async () => {
    const { outcome } = await tried({ delivered: true, status: 204 })
    const attempt = { at: noon, status: 204, ms: 7 }
    expect(outcome).toEqual({ callback_id: 'c1', url, attempt, state: 'delivered' })
  })

  it.each([
    ['the first', [], undefined, 5_000],
    ['the second', [failedTry], undefined, 60_000],
    ['the first after a manual resend', [failedTry, failedTry], 2, 5_000],
    ['the second after a manual resend', [failedTry, failedTry, failedTry], 2, 60_000],
  ])(
    'schedules the next one a full delay after it ends if it fails as %s',
    async (_nth, attempts, resent_after, wait) => {
      const settings = { callback_retries: ['PT5S', 'PT60S'] }
      const { outcome } = await tried({ delivered: false, error: 'no reply' }, settings, { attempts, resent_after })
      const attempt = { at: noon, error: 'no reply', ms: 7 }
      expect(outcome).toEqual({ callback_id: 'c1', url, attempt, state: 'pending', due_at: noon + 40 + wait })
    },
  )

  it.each([
    ['there are no retries', [], []],
    ['its retries are used up', ['PT5S'], [failedTry]],
  ])('is the last one if it fails and %s', async (_why, callback_retries, attempts) => {
    const { outcome } = await tried({ delivered: false, status: 302 }, { callback_retries }, { attempts })
    expect(outcome).toEqual({
      callback_id: 'c1',
      url,
      state: 'failed',
      attempt: { at: noon, status: 302, ms: 7 },
    })
  })
})

const pairs = pixelEvents.map((pixel, index) => [pixel, usageEvents[index] ?? ''] as const)

describe('the event name in a callback', () => {
  it.each(pairs)('follows the setting for %s and %s [6.2/event]', (pixel, usage) => {
    for (const reported of [pixel, usage]) {
      expect(callbackEventName(reported, 'usage')).toBe(usage)
      expect(callbackEventName(reported, 'enum')).toBe(pixel)
      expect(callbackEventName(reported, 'as_reported')).toBe(reported)
    }
  })

  it.each(['converted', 'anything', '__proto__', 'constructor', 'toString'])('stays %s', name => {
    for (const names of ['usage', 'enum', 'as_reported'] as const) expect(callbackEventName(name, names)).toBe(name)
  })
})
