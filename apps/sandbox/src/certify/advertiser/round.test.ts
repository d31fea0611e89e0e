import { describe, expect, it } from 'vitest'
import type { RecordedCall } from '../recorder.ts'
import { reportOf } from './round.ts'

const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const read = (method: string, target: string, body = '') => {
  const call: RecordedCall = { method, target, headers: {}, body, at: 0 }
  const { form, name, event, token } = reportOf(call) ?? {}
  return [form, name, event, token]
}

describe('a call about a lead', () => {
  it.each<[string, string, string, unknown[]]>([
    ['GET', 'status?token=t%7E&event=loan_issued', '', ['pixel', 'loan_issued', 'approved', 't~']],
    ['HEAD', 'status?event=approved', '', ['pixel', 'approved', 'approved', undefined]],
    ['POST', 'status?token=t&event=nonsense', '', ['pixel', 'nonsense', 'nonsense', 't']],
    ['PATCH', 'status', '{"status":"loan_paid"}', ['body', 'loan_paid', 'completed', undefined]],
    ['POST', 'status', 'status=approved', ['body', undefined, undefined, undefined]],
    ['POST', 'status', '{"status":7}', ['body', undefined, undefined, undefined]],
    ['POST', 'status', 'null', ['body', undefined, undefined, undefined]],
    ['GET', 'state', '', ['pixel', undefined, undefined, undefined]],
  ])('%s %s %s is read', (method, place, body, expected) => {
    expect(read(method, `/api/v1/lead/${lead_id}/${place}`, body)).toEqual(expected)
  })

  it('has the id in lower case, and is none without one', () => {
    const target = `/api/v1/lead/${lead_id.toUpperCase()}/status`
    expect(reportOf({ method: 'GET', target, headers: {}, body: '', at: 0 })?.lead_id).toBe(lead_id)
    expect(reportOf({ method: 'POST', target: '/api/v1/lead', headers: {}, body: '', at: 0 })).toBeUndefined()
  })
})
