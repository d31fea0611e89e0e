import { describe, expect, it } from 'vitest'
import type { ConformanceCase } from './conformance-case.ts'
import { createTarget } from './create-target.ts'
import { Mismatch, Unclear } from './mismatch.ts'
import { runCases } from './run-cases.ts'

const publisher = { publisher_id: 'p', api_key: 'the-key-itself' }
const facts = { baseUrl: 'http://127.0.0.1/api/v1', publisher, product_id: 'x', advertisers: [] }
const target = createTarget({ facts, fetch: async () => new Response('{}') })

const caseOf = (id: string, run: ConformanceCase['run'], more: Partial<ConformanceCase> = {}): ConformanceCase => ({
  id,
  title: id,
  statements: ['2.1/customer'],
  run,
  ...more,
})
const passes = caseOf('a/passes', async () => undefined)
const differs = caseOf('a/differs', async () => {
  throw new Mismatch('nothing', `${publisher.api_key} of ana@example.com at /x?token=abc&event=y`)
})

describe('running cases', () => {
  it('returns the outcome of each in their order, and throws nothing', async () => {
    const unclear = caseOf('a/unclear', async () => {
      throw new Unclear('No occasion.')
    })
    const crashes = caseOf('a/crashes', async () => {
      throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })
    })
    const lacks = caseOf('a/lacks', async () => expect.fail('It was run.'), { needs: ['callbacks'] })
    const results = await runCases([passes, differs, unclear, crashes, lacks], target, { concurrency: 3 })
    expect(results.map(({ id, outcome, seen, reason }) => [id, outcome, reason ?? seen])).toEqual([
      ['a/passes', 'passed', undefined],
      ['a/differs', 'failed', '[key] of [e-mail] at /x?token=[token]&event=y'],
      ['a/unclear', 'skipped', 'No occasion.'],
      ['a/crashes', 'failed', 'fetch failed: ECONNREFUSED'],
      ['a/lacks', 'skipped', expect.stringContaining('--callback-listen')],
    ])
  })

  it('knows a difference by the baseline, and says when it is gone', async () => {
    const baseline = { 'a/differs': 'on purpose', 'a/passes': 'no longer' }
    const [gone, known] = await runCases([passes, differs], target, { baseline })
    expect(known).toMatchObject({ outcome: 'known', reason: 'on purpose' })
    expect(gone).toMatchObject({ outcome: 'passed', no_longer_known: 'no longer' })
  })

  it('runs no more at a time than it may', async () => {
    let [now, most] = [0, 0]
    const slow = caseOf('a/slow', async () => {
      most = Math.max(most, ++now)
      await new Promise(resolve => setImmediate(resolve))
      now--
    })
    await runCases(Array(10).fill(slow), target, { concurrency: 3 })
    expect(most).toBe(3)
    most = 0
    await runCases(Array(3).fill(slow), target)
    expect(most).toBe(1)
  })
})

it('sends nothing to another host than the target', async () => {
  await expect(async () => target.call('GET', 'http://elsewhere.example/lead')).rejects.toThrow(/leave the host/)
})
