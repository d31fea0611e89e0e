import { describe, expect, it } from 'vitest'
import { loggedPath } from './log.ts'

const id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'

describe('a path in the log', () => {
  it.each([
    '/api/v1/lead',
    `/api/v1/lead/${id}/status`,
    '/_sandbox/v1/tenants',
    '/_sandbox/health',
    '/_sandbox/docs',
    `/_sandbox/lender/${id}/${id}`,
    '/',
    '',
  ])('shows %j unchanged', path => {
    expect(loggedPath(path)).toBe(path)
  })

  it.each([
    ['/api/v1/lead/ana@example.com/status', '/api/v1/lead/*/status'],
    ['/_sandbox/v1/tenants/demo/leads/ana%40example.com', '/_sandbox/v1/tenants/*/leads/*'],
    ['/_sandbox/sink/demo', '/_sandbox/sink/*'],
    [`/api/v1/lead/${id}x/status`, '/api/v1/lead/*/status'],
    ['/ana/:lead_id', '/*/*'],
    ['http://[', '*//*'],
  ])('shows of %j no more than %j', (path, logged) => {
    expect(loggedPath(path)).toBe(logged)
  })
})
