import { expect, it } from 'vitest'
import { reportOf } from './round.ts'

const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const read = (method: string, target: string, body = '') => reportOf({ method, target, headers: {}, body, at: 0 })

it.each<[string, string, string, unknown[]]>([
  ['GET', 'status?token=t%7E&event=loan_issued', '', ['pixel', 'loan_issued', 'approved', 't~']],
  ['HEAD', 'status?event=approved', '', ['pixel', 'approved', 'approved', undefined]],
  ['POST', 'status?token=t&event=nonsense', '', ['pixel', 'nonsense', 'nonsense', 't']],
  ['PATCH', 'status', '{"status":"loan_paid"}', ['body', 'loan_paid', 'completed', undefined]],
  ['POST', 'status', 'status=approved', ['body', undefined, undefined, undefined]],
  ['POST', 'status', '{"status":7}', ['body', undefined, undefined, undefined]],
  ['POST', 'status', 'null', ['body', undefined, undefined, undefined]],
  ['GET', 'state', '', ['pixel', undefined, undefined, undefined]],
])('reads a request about a lead: %s %s %s', (method, place, body, expected) => {
  const { form, name, event, token } = read(method, `/api/v1/lead/${lead_id}/${place}`, body) ?? {}
  expect([form, name, event, token]).toEqual(expected)
})

it('reads the id in lower case, and ignores requests without one', () => {
  expect(read('GET', `/api/v1/lead/${lead_id.toUpperCase()}/status`)?.lead_id).toBe(lead_id)
  expect(read('POST', '/api/v1/lead')).toBeUndefined()
})
