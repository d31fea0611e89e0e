import type { JsonResponse } from '@lead-distribution/http'
import { describe, expect, it } from 'vitest'
import { disturbCall, latencyOf, statusReply } from './disturb-call.ts'
import type { FaultEffect } from './fault-record.ts'

const whole: JsonResponse = { status: 200, body: { status: 'new' } }

/** What an effect makes of a call, and how often the call was done. */
async function disturbed(effect: FaultEffect) {
  let runs = 0
  const run = async () => {
    runs += 1
    return whole
  }
  return { reply: await disturbCall(effect, run), runs }
}

describe('a disturbed call', () => {
  it.each<[FaultEffect, object, number]>([
    [{ status: 503 }, { status: 503 }, 0],
    [{ timeout: true }, { broken: 'withheld' }, 0],
    [{ reset: true }, { broken: 'cut' }, 0],
    [{ malformed: true }, { ...whole, broken: 'garbled' }, 1],
    [{ lost_reply: true }, { ...whole, broken: 'cut' }, 1],
  ])('by %j: is %j, and is done %i times', async (effect, expected, runs) => {
    const disturbance = await disturbed(effect)
    expect(disturbance.reply).toMatchObject(expected)
    expect(disturbance.runs).toBe(runs)
  })

  it('is done as usual behind its latency', async () => {
    expect(latencyOf({ latency_ms: 200 })).toBe(200)
    expect(latencyOf({ status: 503 })).toBe(0)
    expect(await disturbed({ latency_ms: 200 })).toEqual({ reply: whole, runs: 1 })
  })

  it.each([
    [400, 'validation_error'],
    [401, 'unauthorized'],
    [404, 'not_found'],
    [409, 'conflict'],
    [418, 'http_418'],
    [429, 'too_many_requests'],
    [500, 'internal_error'],
    [503, 'service_unavailable'],
  ])('has with %i the code %s', (status, error) => {
    expect(statusReply(status)).toMatchObject({ status, body: { error, message: expect.any(String) } })
  })

  it('says when to come again only where that was ordered, zero too', () => {
    expect(statusReply(429).headers).toBeUndefined()
    expect(statusReply(429, 0).headers).toEqual({ 'retry-after': '0' })
    expect(statusReply(503, 30).headers).toEqual({ 'retry-after': '30' })
  })
})
