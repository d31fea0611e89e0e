import { rejectionReasons } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { createHistogram, createMetrics, labelSet, metricText } from './metrics.ts'

const fresh = () => createMetrics({ version: '1.2.3', scheme: 'http' })
const idle = { tenants: 1, pendingCallbacks: 0, oldestDueSeconds: 0, storageUp: true, waitingCalls: 0, streams: 0 }
const count = (labels: string, value: number) => `http_server_request_duration_seconds_count{${labels}} ${value}`
const linesOf = (metrics: ReturnType<typeof fresh>, gauges = idle) => metrics.render(gauges, []).split('\n')

describe('the metrics of a sandbox', () => {
  it('start at zero, and show known values as zero', () => {
    const lines = linesOf(fresh()).filter(line => !line.includes('_bucket{'))
    expect(lines.filter(line => !line.includes('reason=') || line.includes('"blacklisted"'))).toEqual([
      '# HELP http_server_request_duration_seconds Request duration by method, route and status, from the request head to the response.',
      '# TYPE http_server_request_duration_seconds histogram',
      '# HELP lead_sandbox_leads_total Submissions by lead status and rejection reason.',
      '# TYPE lead_sandbox_leads_total counter',
      'lead_sandbox_leads_total{status="new"} 0',
      'lead_sandbox_leads_total{status="distributed"} 0',
      'lead_sandbox_leads_total{status="rejected",reason="blacklisted"} 0',
      '# HELP lead_sandbox_callbacks_total Delivered and failed callbacks, by state.',
      '# TYPE lead_sandbox_callbacks_total counter',
      'lead_sandbox_callbacks_total{state="delivered"} 0',
      'lead_sandbox_callbacks_total{state="failed"} 0',
      '# HELP lead_sandbox_callback_attempts_total Callback attempts by outcome.',
      '# TYPE lead_sandbox_callback_attempts_total counter',
      'lead_sandbox_callback_attempts_total{outcome="delivered"} 0',
      'lead_sandbox_callback_attempts_total{outcome="failed"} 0',
      '# HELP lead_sandbox_storage_transaction_duration_seconds Storage transactions by outcome, including the wait for the commit.',
      '# TYPE lead_sandbox_storage_transaction_duration_seconds histogram',
      'lead_sandbox_storage_transaction_duration_seconds_sum{outcome="committed"} 0',
      'lead_sandbox_storage_transaction_duration_seconds_count{outcome="committed"} 0',
      'lead_sandbox_storage_transaction_duration_seconds_sum{outcome="failed"} 0',
      'lead_sandbox_storage_transaction_duration_seconds_count{outcome="failed"} 0',
      '# HELP lead_sandbox_callbacks_pending Pending callbacks.',
      '# TYPE lead_sandbox_callbacks_pending gauge',
      'lead_sandbox_callbacks_pending 0',
      "# HELP lead_sandbox_callback_oldest_due_age_seconds Age of the oldest due callback, on its tenant's clock.",
      '# TYPE lead_sandbox_callback_oldest_due_age_seconds gauge',
      'lead_sandbox_callback_oldest_due_age_seconds 0',
      '# HELP lead_sandbox_storage_up 1 if the storage accepts writes, otherwise 0.',
      '# TYPE lead_sandbox_storage_up gauge',
      'lead_sandbox_storage_up 1',
      '# HELP lead_sandbox_waiting_requests Requests that wait for a callback or are delayed by a fault.',
      '# TYPE lead_sandbox_waiting_requests gauge',
      'lead_sandbox_waiting_requests 0',
      '# HELP lead_sandbox_streams Open event streams.',
      '# TYPE lead_sandbox_streams gauge',
      'lead_sandbox_streams 0',
      '# HELP lead_sandbox_tenants Number of tenants.',
      '# TYPE lead_sandbox_tenants gauge',
      'lead_sandbox_tenants 1',
      '# HELP lead_sandbox_build_info The version of the sandbox.',
      '# TYPE lead_sandbox_build_info gauge',
      'lead_sandbox_build_info{version="1.2.3"} 1',
      '',
    ])
    expect(lines.filter(line => line.startsWith('lead_sandbox_leads_total{status="rejected"'))).toHaveLength(
      rejectionReasons.length,
    )
  })

  it('count requests by method, route and status, leads by status and reason, callbacks and attempts by outcome', () => {
    const metrics = fresh()
    const post = { method: 'POST' }
    for (const status of [200, 200, 422, 503]) metrics.request(post, { route: '/lead', status }, 0.25)
    metrics.request(post, { route: '/lead', status: 200, broken: 'cut' }, 0)
    metrics.request({ method: 'GET' }, { route: '/lead', status: 200 }, 0)
    metrics.request({ method: 'BREW' }, { status: 404 }, 0)
    metrics.lead('distributed')
    metrics.lead('distributed')
    metrics.lead('rejected', 'blacklisted')
    metrics.callbackAttempt('failed')
    metrics.callback('failed')
    metrics.transaction('failed', 2)
    const gauges = {
      tenants: 7,
      pendingCallbacks: 3,
      oldestDueSeconds: 1.5,
      storageUp: false,
      waitingCalls: 5,
      streams: 2,
    }
    expect(linesOf(metrics, gauges)).toEqual(
      expect.arrayContaining([
        count('http_request_method="POST",http_route="/lead",http_response_status_code="200",url_scheme="http"', 2),
        'http_server_request_duration_seconds_sum{http_request_method="POST",http_route="/lead",http_response_status_code="200",url_scheme="http"} 0.5',
        count('http_request_method="POST",http_route="/lead",http_response_status_code="422",url_scheme="http"', 1),
        count(
          'http_request_method="POST",http_route="/lead",http_response_status_code="503",url_scheme="http",error_type="503"',
          1,
        ),
        count('http_request_method="POST",http_route="/lead",url_scheme="http",error_type="cut"', 1),
        count('http_request_method="GET",http_route="/lead",http_response_status_code="200",url_scheme="http"', 1),
        count('http_request_method="_OTHER",http_response_status_code="404",url_scheme="http"', 1),
        'lead_sandbox_leads_total{status="distributed"} 2',
        'lead_sandbox_leads_total{status="rejected",reason="blacklisted"} 1',
        'lead_sandbox_callback_attempts_total{outcome="failed"} 1',
        'lead_sandbox_callbacks_total{state="failed"} 1',
        'lead_sandbox_storage_transaction_duration_seconds_count{outcome="failed"} 1',
        'lead_sandbox_callbacks_pending 3',
        'lead_sandbox_callback_oldest_due_age_seconds 1.5',
        'lead_sandbox_storage_up 0',
        'lead_sandbox_waiting_requests 5',
        'lead_sandbox_streams 2',
        'lead_sandbox_tenants 7',
      ]),
    )
  })

  it('are followed by those of the process', () => {
    const heap = { name: 'heap_bytes', type: 'gauge', help: 'Heap.', values: [['', 5]] } as const
    expect(fresh().render(idle, [heap])).toMatch(
      / 1\n# HELP heap_bytes Heap\.\n# TYPE heap_bytes gauge\nheap_bytes 5\n$/,
    )
  })

  it('are separate for each sandbox', () => {
    const [one, other] = [fresh(), fresh()]
    one.lead('new')
    expect(other.render(idle, [])).toBe(fresh().render(idle, []))
  })
})

describe('a histogram', () => {
  it('counts each duration in every bucket whose bound it does not exceed', () => {
    const histogram = createHistogram({ operation: 'a' })
    for (const seconds of [0, 0.001, 0.0011, 10, 10.1]) histogram.observe(seconds)
    const values = new Map(histogram.values())
    const upTo = (le: string) => values.get(`_bucket{operation="a",le="${le}"}`)
    expect(['0.001', '0.0025', '5', '10', '+Inf'].map(upTo)).toEqual([2, 3, 3, 4, 5])
    expect([values.get('_count{operation="a"}'), values.get('_sum{operation="a"}')]).toEqual([5, 20.1021])
  })
})

describe('a set of labels', () => {
  it('is counted separately for each combination of values', () => {
    const metrics = fresh()
    metrics.request({ method: 'GET' }, { route: '/a', status: 204 }, 0)
    metrics.request({ method: 'GET' }, { route: '/a2', status: 4 }, 0)
    const counts = linesOf(metrics).filter(line => line.startsWith('http_server_request_duration_seconds_count'))
    expect(counts).toEqual([
      count('http_request_method="GET",http_route="/a",http_response_status_code="204",url_scheme="http"', 1),
      count('http_request_method="GET",http_route="/a2",http_response_status_code="4",url_scheme="http"', 1),
    ])
  })

  it('escapes backslash, quote and newline', () => {
    const metric = { name: 'm', type: 'gauge', help: 'H.', values: [[labelSet({ l: 'a\\b"c\nd' }), 1]] } as const
    expect(metricText(metric)).toContain(String.raw`m{l="a\\b\"c\nd"} 1`)
  })
})
