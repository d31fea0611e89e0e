import { describe, expect, it } from 'vitest'
import { leadStatuses, rejectionReasons } from '../enumerations.ts'
import { leadResponse } from './lead-response.shape.ts'

const lead_id = '7d9b0a52-6c1e-4a0f-8b39-5a4c7e2f9d10'
const takes = (reply: unknown) => leadResponse.safeParse(reply).success

describe('the reply to a submission', () => {
  it('may leave out or null the id, and holds a UUID else [2.12/lead_id]', () => {
    expect(takes({ status: 'new' })).toBe(true)
    expect(takes({ status: 'new', lead_id: null })).toBe(true)
    expect(takes({ status: 'new', lead_id })).toBe(true)
    expect(takes({ status: 'new', lead_id: 'lead-1' })).toBe(false)
  })

  it('holds one of three statuses, always [2.12/status]', () => {
    expect(leadStatuses.filter(status => takes({ status }))).toEqual(['new', 'distributed', 'rejected'])
    for (const status of [undefined, null, 'NEW', 'accepted', 5]) expect(takes({ status })).toBe(false)
  })

  it('may leave out or null the redirect, and holds an absolute URL else [2.12/redirect_url]', () => {
    for (const redirect_url of [undefined, null, 'https://lender.example/apply?lead=1'])
      expect(takes({ status: 'distributed', redirect_url })).toBe(true)
    for (const redirect_url of ['', '/apply', 'lender.example', 5])
      expect(takes({ status: 'distributed', redirect_url })).toBe(false)
  })

  it('may leave out or null the reason, and holds a known one else [2.12/rejection_reason]', () => {
    for (const rejection_reason of [undefined, null, ...rejectionReasons])
      expect(takes({ status: 'rejected', rejection_reason })).toBe(true)
    for (const rejection_reason of ['', 'too_young', 5])
      expect(takes({ status: 'rejected', rejection_reason })).toBe(false)
  })
})
