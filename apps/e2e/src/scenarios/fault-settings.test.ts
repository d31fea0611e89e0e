import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'
import { eachRow } from '../each-row.ts'

const setting = (operation: string, effect: unknown, more: object = {}) => ({ match: { operation }, effect, ...more })

inMemory('a setting of a fault', adapter => {
  it('with a wrong effect is refused by its field, and sets nothing', () =>
    eachRow(
      [
        ['submitLead', { drop: true }, 'effect.drop'],
        ['submitLead', { delay: 'PT1S' }, 'effect.delay'],
        ['reportStatus', { duplicate: 1 }, 'effect.duplicate'],
        ['reportEvent', { reorder: true }, 'effect.reorder'],
        ['callback', { timeout: true }, 'effect.timeout'],
        ['callback', { reset: true }, 'effect.reset'],
        ['callback', { malformed: true }, 'effect.malformed'],
        ['callback', { lost_reply: true }, 'effect.lost_reply'],
        ['callback', { latency_ms: 1 }, 'effect.latency_ms'],
        ['submitLead', { status: 399 }, 'effect.status'],
        ['submitLead', { status: 600 }, 'effect.status'],
        ['callback', { status: 199 }, 'effect.status'],
        ['submitLead', { status: '503' }, 'effect.status'],
        ['submitLead', { latency_ms: 10, retry_after: 1 }, 'effect.retry_after'],
        ['callback', { status: 503, retry_after: 1 }, 'effect.retry_after'],
        ['submitLead', { latency_ms: -1 }, 'effect.latency_ms'],
        ['submitLead', { latency_ms: 600_001 }, 'effect.latency_ms'],
        ['submitLead', { timeout: false }, 'effect.timeout'],
        ['callback', { delay: 'soon' }, 'effect.delay'],
        ['callback', { delay: 'P3651D' }, 'effect.delay'],
        ['callback', { duplicate: -1 }, 'effect.duplicate'],
        ['callback', { duplicate: 101 }, 'effect.duplicate'],
        ['submitLead', {}, 'effect'],
        ['submitLead', { retry_after: 1 }, 'effect'],
        ['submitLead', { status: 503, timeout: true }, 'effect'],
        ['submitLead', 'timeout', 'effect'],
        ['submitLead', { colour: 'red' }, 'effect.colour'],
        ['submit', { status: 503 }, 'match.operation'],
      ],
      async (operation, effect, field) => {
        const tenant = await createTenant(adapter)
        const { status, json } = await tenant.control('POST', '/faults', { body: setting(operation, effect) })
        expect([status, json.error]).toEqual([400, 'validation_error'])
        expect(json.details.map((detail: { field: string }) => detail.field)).toContain(field)
        expect((await tenant.control('GET', '/faults')).json.faults).toEqual([])
      },
    ))

  it('with a wrong count or match is refused by its field', () =>
    eachRow(
      [
        [{ times: -1 }, 'times'],
        [{ times: 1.5 }, 'times'],
        [{ after: -1 }, 'after'],
        [{ after: '1' }, 'after'],
        [{ probability: -0.1 }, 'probability'],
        [{ probability: 1.1 }, 'probability'],
        [{ probability: null }, 'probability'],
        [{ match: { operation: 'submitLead', scenario: '' } }, 'match.scenario'],
        [{ match: {} }, 'match.operation'],
        [{ fault_id: 'mine' }, 'fault_id'],
      ],
      async (more, field) => {
        const tenant = await createTenant(adapter)
        const body = setting('submitLead', { status: 503 }, more)
        const { status, json } = await tenant.control('POST', '/faults', { body })
        expect([status, json.details.map((detail: { field: string }) => detail.field)]).toEqual([400, [field]])
      },
    ))

  it('with fields that are not known is refused by their names', async () => {
    const tenant = await createTenant(adapter)
    const body = setting('submitLead', { colour: 'red' }, { height: 1 })
    const { json } = await tenant.control('POST', '/faults', { body })
    expect(json.details).toContainEqual({ field: 'height', issue: expect.stringContaining('not known') })
    expect(json.details).toContainEqual({ field: 'effect.colour', issue: expect.stringContaining('not known') })
    expect(json.details).toContainEqual({ field: 'effect', issue: 'must name one effect' })
    expect(json.details).toHaveLength(3)
  })

  it('at the ends of its ranges is taken and shown unchanged', () =>
    eachRow(
      [
        ['submitLead', { status: 400 }, { times: 0, after: 0, probability: 0 }],
        ['submitLead', { status: 599, retry_after: 0 }, { probability: 1 }],
        ['reportEvent', { latency_ms: 0 }, {}],
        ['callback', { status: 200 }, {}],
        ['callback', { duplicate: 100 }, { times: 1 }],
        ['callback', { delay: 'PT0S' }, {}],
      ],
      async (operation, effect, more) => {
        const tenant = await createTenant(adapter)
        const { status, json } = await tenant.control('POST', '/faults', { body: setting(operation, effect, more) })
        expect([status, json]).toEqual([
          201,
          { fault_id: 'f1', match: { operation }, effect, ...more, matched: 0, acted: 0 },
        ])
        expect((await tenant.control('GET', '/faults')).json.faults).toEqual([json])
      },
    ))

  it('of zero changes nothing and counts nothing', async () => {
    const tenant = await createTenant(adapter)
    const zeros = [{ times: 0 }, { probability: 0 }, { effect: { latency_ms: 0 } }]
    for (const zero of zeros)
      await tenant.control('POST', '/faults', { body: setting('submitLead', { status: 503 }, zero) })
    for (const effect of [{ duplicate: 0 }, { delay: 'PT0S' }])
      await tenant.control('POST', '/faults', { body: setting('callback', effect) })
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'approved')
    const [callback] = await tenant.settledCallbacks(lead)
    expect(callback.attempts).toEqual([{ at: expect.any(String), status: 200, ms: expect.any(Number) }])
    const { faults } = (await tenant.control('GET', '/faults')).json
    expect(faults.map(({ matched, acted }: Record<string, number>) => [matched, acted])).toEqual(Array(5).fill([0, 0]))
  })
})
