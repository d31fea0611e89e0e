import { describe, expect, it } from 'vitest'
import { createMetrics, labelSet } from './metrics.ts'

const fresh = () => createMetrics({ startedAt: 1_781_524_800_500, version: '1.2.3' })

describe('the metrics of a sandbox', () => {
  it('are at zero at the start, known values shown as zero', () => {
    expect(fresh().render({ tenants: 1 })).toBe(
      [
        '# HELP lead_sandbox_requests_total Requests that were answered.',
        '# TYPE lead_sandbox_requests_total counter',
        '# HELP lead_sandbox_leads_total Submissions by the status of the lead.',
        '# TYPE lead_sandbox_leads_total counter',
        'lead_sandbox_leads_total{status="new"} 0',
        'lead_sandbox_leads_total{status="distributed"} 0',
        'lead_sandbox_leads_total{status="rejected"} 0',
        '# HELP lead_sandbox_callback_tries_total Callback tries by outcome.',
        '# TYPE lead_sandbox_callback_tries_total counter',
        'lead_sandbox_callback_tries_total{outcome="delivered"} 0',
        'lead_sandbox_callback_tries_total{outcome="failed"} 0',
        '# HELP lead_sandbox_tenants Tenants of the sandbox.',
        '# TYPE lead_sandbox_tenants gauge',
        'lead_sandbox_tenants 1',
        '# HELP lead_sandbox_build_info The version of the sandbox.',
        '# TYPE lead_sandbox_build_info gauge',
        'lead_sandbox_build_info{version="1.2.3"} 1',
        '# HELP process_start_time_seconds When the sandbox was started, seconds since 1970.',
        '# TYPE process_start_time_seconds gauge',
        'process_start_time_seconds 1781524800.5',
        '',
      ].join('\n'),
    )
  })

  it('count requests by operation and status, leads by status, tries by outcome', () => {
    const metrics = fresh()
    for (const status of [200, 200, 422]) metrics.request('submitLead', status)
    metrics.request('showLead', 200)
    metrics.lead('distributed')
    metrics.lead('distributed')
    metrics.callbackTry('failed')
    const lines = metrics.render({ tenants: 7 }).split('\n')
    expect(lines).toEqual(
      expect.arrayContaining([
        'lead_sandbox_requests_total{operation="submitLead",status="200"} 2',
        'lead_sandbox_requests_total{operation="submitLead",status="422"} 1',
        'lead_sandbox_requests_total{operation="showLead",status="200"} 1',
        'lead_sandbox_leads_total{status="distributed"} 2',
        'lead_sandbox_leads_total{status="rejected"} 0',
        'lead_sandbox_callback_tries_total{outcome="failed"} 1',
        'lead_sandbox_tenants 7',
      ]),
    )
  })

  it('of one sandbox are not those of another', () => {
    const [one, other] = [fresh(), fresh()]
    one.lead('new')
    expect(other.render({ tenants: 0 })).toBe(fresh().render({ tenants: 0 }))
  })
})

describe('a set of labels', () => {
  it('keeps each combination of values apart', () => {
    const metrics = fresh()
    metrics.request('a', 23)
    metrics.request('a2', 3)
    expect(metrics.render({ tenants: 1 })).toMatch(
      /\{operation="a",status="23"\} 1\n.*\{operation="a2",status="3"\} 1\n/,
    )
  })

  it('escapes what would end a label: backslash, quote, newline', () => {
    expect(labelSet({ l: 'a\\b"c\nd' })).toBe(String.raw`{l="a\\b\"c\nd"}`)
  })
})
