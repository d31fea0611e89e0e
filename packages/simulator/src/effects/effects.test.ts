import type { JsonResponse } from '@lead-distribution/http'
import { describe, expect, it } from 'vitest'
import { openTenantClient } from '../control/tenant-client.fixture.ts'
import type { CallbackResponse } from '../egress/guarded-egress.ts'
import { manualEgress } from '../ports.fixture.ts'
import { applyFault } from '../service/apply-effects.ts'
import type { ServiceCall } from '../service/service-call.ts'
import type { FaultRecord } from '../storage/records.ts'
import { type Effect, faultPresets, presetFields, usualPresetValues } from './effects.ts'
import { createFaultyEgress, latencyOf, postponementBy } from './inject-effect.ts'

const whole: JsonResponse = { status: 200, body: { status: 'new' } }

const faultOf = (effect: Effect): FaultRecord => ({
  fault_id: 'f1',
  match: { operation: 'callback' },
  effect,
  matched: 1,
  acted: 1,
})

/** Returns the response to a call under an effect, and how often the call was executed. */
async function callUnder(effect: Effect) {
  let runs = 0
  const response = await applyFault({ fault: faultOf(effect) } as ServiceCall, async () => {
    runs += 1
    return whole
  })
  return { response, runs }
}

describe('a fault on a call', () => {
  it.each<[Effect, object, number]>([
    [{ status: 503 }, { status: 503 }, 0],
    [{ status: 429, retry_after: 5 }, { status: 429, headers: { 'retry-after': '5' } }, 0],
    [{ timeout: true }, { broken: 'withheld' }, 0],
    [{ reset: true }, { broken: 'cut' }, 0],
    [{ malformed: true }, { ...whole, broken: 'garbled' }, 1],
    [{ lost_reply: true }, { ...whole, broken: 'cut' }, 1],
  ])('%j responds with %j, and executes the call %i times', async (effect, expected, runs) => {
    const called = await callUnder(effect)
    expect(called.response).toMatchObject(expected)
    expect(called.runs).toBe(runs)
  })

  it('executes the call as usual after its latency', async () => {
    expect(latencyOf({ latency_ms: 200 })).toBe(200)
    expect(latencyOf({ status: 503 })).toBe(0)
    expect(await callUnder({ latency_ms: 200 })).toEqual({ response: whole, runs: 1 })
  })
})

const request = { url: 'http://127.0.0.1:1/', headers: {}, timeoutMs: 1000 }

/** Sends a callback through an egress with a fault. */
async function sendUnder(effect: Effect, answer?: (nth: number) => CallbackResponse) {
  const out = manualEgress(answer)
  const egress = createFaultyEgress(out, faultOf(effect))
  return { response: await egress.send(request), sent: out.sent }
}

describe('a fault on a callback', () => {
  it.each<[Effect, object, number]>([
    [{ drop: true }, { error: 'dropped by a fault', fault_id: 'f1' }, 0],
    [{ status: 503 }, { status: 503, fault_id: 'f1' }, 0],
    [{ duplicate: 2 }, { status: 200, copies: 2, fault_id: 'f1' }, 3],
  ])('%j: responds with %j and sends %i', async (effect, expected, count) => {
    const { response, sent } = await sendUnder(effect)
    expect([response, sent.length]).toEqual([expected, count])
  })

  it('sends copies in parallel, and returns the response to the first', async () => {
    const { response } = await sendUnder({ duplicate: 2 }, nth => ({ status: nth === 1 ? 500 : 200 }))
    expect(response).toEqual({ status: 500, copies: 2, fault_id: 'f1' })
  })

  it.each<[Effect, object | undefined]>([
    [{ delay: 'PT5S' }, { held: 'delay', by_ms: 5000 }],
    [{ reorder: true }, { held: 'reorder', by_ms: 60_000 }],
    [{ drop: true }, undefined],
  ])('%j postpones by %j', (effect, postponement) => {
    expect(postponementBy(effect)).toEqual(postponement)
  })
})

it.each(Object.entries(faultPresets))(
  'the control plane accepts the preset %s, with its minimum, default and maximum values',
  async (_, { fault }) => {
    const { done } = await openTenantClient()
    const { times, seconds } = presetFields
    for (const values of [
      { times: times.min, seconds: seconds.min },
      usualPresetValues,
      { times: times.max, seconds: seconds.max },
    ])
      expect(await done('POST', '/faults', fault(values))).toMatchObject(fault(values))
  },
)
