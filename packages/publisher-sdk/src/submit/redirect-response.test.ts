import { expect, it } from 'vitest'
import { readSubmission } from './read-submission.ts'
import { redirectResponse } from './redirect-response.ts'
import type { SubmitResult } from './submit-result.ts'

const meta = { status: 200, headers: {}, attempts: 1, callId: 'c', ms: 1 }
const read = (body: Record<string, unknown>) => readSubmission({ status: 200, body, meta, method: 'POST' }, false)

it('redirects a distributed lead by 303, uncached, to the address as it came', () => {
  const redirect_url = 'https://lender.example/apply?t=~a%20b=='
  const result = read({ lead_id: 'l', status: 'distributed', redirect_url })
  if (result.outcome !== 'distributed') return expect.unreachable()
  const response = redirectResponse(result)
  expect(response.status).toBe(303)
  expect(Object.fromEntries(response.headers)).toEqual({ location: redirect_url, 'cache-control': 'no-store' })
})

it.each([{ status: 'new', lead_id: 'l' }, { status: 'rejected' }, { status: 'tomorrow' }])(
  'refuses %o to plain JavaScript too',
  body => expect(() => redirectResponse(read(body) as never)).toThrow('Only a distributed lead'),
)

it.each([undefined, 'https://lender.example', { outcome: 'distributed', redirect_url: 'javascript:alert(1)' }])(
  'refuses %o',
  value => expect(() => redirectResponse(value as never)).toThrow('Only a distributed lead'),
)

/** Compiled, never run: what must not compile. */
export function mustNotCompile(result: SubmitResult) {
  // @ts-expect-error a union: look at `outcome` first
  redirectResponse(result)
  // @ts-expect-error a bare text is no lead
  redirectResponse('https://lender.example')
  if (result.outcome === 'distributed') {
    redirectResponse(result)
    // @ts-expect-error the address alone is no lead
    redirectResponse(result.redirect_url)
    // @ts-expect-error an address that nobody checked
    redirectResponse({ ...result, redirect_url: 'https://evil.example' })
  } else {
    // @ts-expect-error only a distributed lead has an address
    const address: string = result.redirect_url
    // @ts-expect-error nor is any other one redirected
    redirectResponse(result)
    return address
  }
  return result.redirect_url.length
}

/** Compiled, never run: what an unknown word must not break. */
export function complete(result: SubmitResult): string {
  switch (result.outcome) {
    case 'distributed':
      return result.redirect_url
    case 'new':
      return result.lead_id
    case 'rejected':
      return result.rejection_reason ?? 'no reason'
    case 'unrecognized':
      return result.status ?? 'no status'
  }
}
