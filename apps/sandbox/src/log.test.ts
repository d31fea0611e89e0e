import { describe, expect, it } from 'vitest'
import { createLog, type LogLevel, loggedPath, logRequests, requestLine } from './log.ts'

const id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'

describe('a path in the log', () => {
  it.each([
    '/api/v1/lead',
    `/api/v1/lead/${id}/status`,
    '/_sandbox/v1/tenants',
    '/_sandbox/health',
    '/_sandbox/health/ready',
    '/_sandbox/docs',
    `/_sandbox/advertiser/${id}/${id}`,
    '/',
    '',
  ])('shows %j unchanged', path => {
    expect(loggedPath(path)).toBe(path)
  })

  it.each([
    ['/api/v1/lead/ana@example.com/status', '/api/v1/lead/*/status'],
    ['/_sandbox/v1/tenants/demo/leads/ana%40example.com', '/_sandbox/v1/tenants/*/leads/*'],
    ['/_sandbox/inbox/demo', '/_sandbox/inbox/*'],
    [`/api/v1/lead/${id}x/status`, '/api/v1/lead/*/status'],
    ['/ana/:lead_id', '/*/*'],
    ['http://[', '*//*'],
  ])('reduces %j to %j', (path, logged) => {
    expect(loggedPath(path)).toBe(logged)
  })
})

describe('the access log', () => {
  const line = { method: 'GET', operation: 'reportEvent', status: 200, ms: 1.23456 }
  const path = `/api/v1/lead/${id}/status`
  /** Returns the line logged for a request at this level. */
  const logged = (level: LogLevel, at: 'info' | 'debug', body = '') => {
    const texts: string[] = []
    logRequests(createLog(level, { write: text => void texts.push(text) }), at)(requestLine({ ...line, path }, body))
    return texts.map(text => JSON.parse(text))
  }

  it.each(['error', 'info', 'debug'] as const)('has a line for each request at the level %s', level => {
    expect(logged(level, 'info')).toEqual([
      { level: 30, time: expect.any(Number), ...line, path, ms: 1.235, msg: 'request' },
    ])
  })

  it('is at the debug level by default', () => {
    expect(logged('info', 'debug')).toEqual([])
    expect(logged('debug', 'debug')).toMatchObject([{ level: 20, msg: 'request' }])
  })

  it.each([
    [
      { lead_id: id, status: 'rejected', rejection_reason: 'age_restriction' },
      { outcome: 'rejected', reason: 'age_restriction' },
    ],
    [
      { lead_id: id, status: 'received', event: 'loan_issued' },
      { outcome: 'received', event: 'loan_issued' },
    ],
    [{ error: 'validation_error', message: 'ana@example.com', details: [] }, { outcome: 'validation_error' }],
    [{ lead_id: id, status: 'Ana was here' }, { outcome: 'other' }],
  ])('contains the decision in %j, but no text from the client', (body, decision) => {
    const [shown] = logged('info', 'info', JSON.stringify(body))
    expect(shown).toEqual({ ...shown, ...decision })
    expect(JSON.stringify(shown)).not.toMatch(/ana/i)
  })
})
