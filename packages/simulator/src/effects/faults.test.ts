import type { Storage } from '@lead-distribution/engine'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RandomKey } from '../random/seeded-random.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import { overridden } from '../storage/overridden-tables.fixture.ts'
import type { FaultStoreState } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import { createStoredDocument } from '../storage/stored-document.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import type { Effect, Fault } from './effects.ts'
import { createFaultStore, noFaults } from './faults.ts'

const random: RandomKey = [1, 2, 3, 4]
const noScenario = async () => undefined

/** A fault store with these faults, added in this order, and a function to call it. */
async function storeOf(definitions: Partial<Fault>[], { initial = noFaults, key = random } = {}) {
  const kept: FaultStoreState[] = []
  const storage = createMemoryStorage()
  await storage.addTenant(await createTenant({ tenant: 'qa', seed: '1', created_at: 0, settings: {} }))
  const { transact, read } = storage.of('qa')
  await transact(tables => tables.writeDocument('faults', initial))
  const recording: Storage<SandboxTables> = {
    read,
    transact: work =>
      transact(tables =>
        work(
          overridden(tables, {
            writeDocument(name, value) {
              kept.push(value as FaultStoreState)
              return tables.writeDocument(name, value)
            },
          }),
        ),
      ),
  }
  const faults = createFaultStore(createStoredDocument(recording, 'faults', { initial, unwritten: noFaults }), key)
  for (const definition of definitions)
    await faults.add({ match: { operation: 'submitLead' }, effect: { status: 503 }, ...definition })
  const matchOne = async () => (await faults.matchFault('submitLead', noScenario))?.fault_id
  /** Returns the fault that acted on each of several consecutive calls. */
  const matches = async (calls: number) => {
    const acted = []
    for (let call = 0; call < calls; call++) acted.push(await matchOne())
    return acted
  }
  const counts = () => faults.list().map(({ matched, acted }) => [matched, acted])
  return { faults, kept, matchOne, matches, counts }
}

describe('faults', () => {
  it('let calls pass and store nothing if there are none', async () => {
    const { matches, kept } = await storeOf([])
    expect([await matches(2), kept]).toEqual([[undefined, undefined], []])
  })

  it('act in order: the first match acts, and later ones do not count the call', async () => {
    const { matches, counts } = await storeOf([{ match: { operation: 'reportEvent' } }, {}, {}])
    expect(await matches(2)).toEqual(['f2', 'f2'])
    expect(counts()).toEqual([
      [0, 0],
      [2, 2],
      [0, 0],
    ])
  })

  it('let `after` calls pass first, and act `times` times', async () => {
    const { matches, counts } = await storeOf([{ after: 2, times: 2 }])
    expect(await matches(6)).toEqual([undefined, undefined, 'f1', 'f1', undefined, undefined])
    expect(counts()).toEqual([[6, 2]])
  })

  it('let the next one act if one lets the call pass', async () => {
    const { matches } = await storeOf([{ after: 1, times: 1 }, { times: 2 }, {}])
    expect(await matches(4)).toEqual(['f2', 'f1', 'f2', 'f3'])
  })

  it.each<[string, Partial<Fault>]>([
    ['times', { times: 0 }],
    ['probability', { probability: 0 }],
    ['latency', { effect: { latency_ms: 0 } }],
    ['duplicates', { effect: { duplicate: 0 } }],
    ['delay', { effect: { delay: 'PT0S' } }],
    ['delay in fractions', { effect: { delay: 'PT0.000S' } }],
  ])('have no effect if %s is zero: they count nothing, and the next one acts', async (_title, zero) => {
    const { matches, counts } = await storeOf([zero, {}])
    expect(await matches(2)).toEqual(['f2', 'f2'])
    expect(counts()).toEqual([
      [0, 0],
      [2, 2],
    ])
    const single = await storeOf([zero])
    expect([await single.matches(2), single.kept.length]).toEqual([[undefined, undefined], 1])
  })

  it.each<Effect>([{ latency_ms: 1 }, { duplicate: 1 }, { delay: 'PT0.001S' }])(
    'act if just above zero: %j',
    async effect => {
      expect(await (await storeOf([{ effect }])).matches(1)).toEqual(['f1'])
    },
  )

  it('treat an `after` of zero like none', async () => {
    expect(await (await storeOf([{ after: 0, times: 1 }])).matches(2)).toEqual(['f1', undefined])
  })

  it('match a scenario in any letter case, and look it up only if a fault needs it', async () => {
    const { faults } = await storeOf([{ match: { operation: 'submitLead', scenario: 'Slow' } }])
    let asked = 0
    const called = (scenario?: string) => async () => {
      asked += 1
      return scenario
    }
    expect((await faults.matchFault('submitLead', called('slow')))?.fault_id).toBe('f1')
    expect(await faults.matchFault('submitLead', called('slower'))).toBeUndefined()
    expect(await faults.matchFault('submitLead', called())).toBeUndefined()
    expect(await faults.matchFault('reportEvent', called('slow'))).toBeUndefined()
    await faults.remove()
    await faults.add({ match: { operation: 'submitLead' }, effect: { status: 503 } })
    await faults.matchFault('submitLead', called('slow'))
    expect(asked).toBe(3)
  })

  it('do not match if their effect cannot apply', async () => {
    const { faults } = await storeOf([{}, { effect: { status: 500 } }])
    const not503 = (effect: Effect) => !('status' in effect && effect.status === 503)
    expect((await faults.matchFault('submitLead', noScenario, not503))?.fault_id).toBe('f2')
  })

  it('act at most `times` times, even on concurrent calls', async () => {
    for (const scenario of [undefined, 'slow']) {
      const { faults, counts } = await storeOf([{ match: { operation: 'submitLead', scenario }, after: 3, times: 5 }])
      const calls = Array.from({ length: 20 }, () => faults.matchFault('submitLead', async () => scenario))
      expect((await Promise.all(calls)).filter(fault => fault !== undefined)).toHaveLength(5)
      expect(counts()).toEqual([[20, 5]])
    }
  })

  it('act in insertion order, even if one is removed during the call', async () => {
    const { faults } = await storeOf([{ match: { operation: 'submitLead', scenario: 'slow' } }, {}])
    const acted = await faults.matchFault('submitLead', async () => {
      await faults.remove('f1')
      return 'slow'
    })
    expect(acted?.fault_id).toBe('f2')
  })

  it('are removed one by one or all, keep counting ids, and are stored after each change and match', async () => {
    const { faults, kept, matchOne } = await storeOf([{}, {}])
    expect([await faults.remove('f1'), await faults.remove('f1'), await faults.remove('f9')]).toEqual([
      true,
      false,
      false,
    ])
    expect((await faults.add({ match: { operation: 'callback' }, effect: { drop: true } })).fault_id).toBe('f3')
    await matchOne()
    expect(kept.at(-1)).toMatchObject({
      set: 3,
      faults: [{ fault_id: 'f2', matched: 1, acted: 1 }, { fault_id: 'f3' }],
    })
    expect(await faults.remove()).toBe(true)
    expect([kept.length, kept.at(-1), faults.list()]).toEqual([6, { set: 3, faults: [] }, []])
  })

  it('continue from their stored state, and are replaced as a whole', async () => {
    const { kept, matches } = await storeOf([{ after: 1, times: 2 }])
    await matches(2)
    const again = await storeOf([], { initial: kept.at(-1) ?? expect.fail('Nothing was stored.') })
    expect(await again.matches(2)).toEqual(['f1', undefined])
    again.faults.restore({ set: 0, faults: [] })
    expect([await again.matches(1), again.faults.list()]).toEqual([[undefined], []])
  })
})

describe('the probability of a fault', () => {
  it('is drawn equally for equal keys, and differently for another key or fault', async () => {
    const drawn = async (key: RandomKey, before = 0) => {
      const zeros = Array.from({ length: before }, () => ({ times: 0 }))
      const acted = await (await storeOf([...zeros, { probability: 0.5 }], { key })).matches(64)
      return acted.map(fault => fault !== undefined)
    }
    const first = await drawn(random)
    expect(await drawn([...random])).toEqual(first)
    expect(await drawn([4, 3, 2, 1])).not.toEqual(first)
    expect(await drawn(random, 1)).not.toEqual(first)
  })

  it.each([0.01, 0.3, 0.5, 0.99])('%d is the share of calls that the fault acts on', async probability => {
    const { matches, counts } = await storeOf([{ probability }])
    const calls = 10_000
    await matches(calls)
    const [[, acted = 0] = []] = counts()
    // Five standard deviations. Keys are fixed, so every run gives the same result.
    const spread = 5 * Math.sqrt((probability * (1 - probability)) / calls)
    expect(Math.abs(acted / calls - probability)).toBeLessThan(spread)
  })

  it('is certain at 1', async () => {
    const { matches } = await storeOf([{ probability: 1 }])
    expect(new Set(await matches(1000))).toEqual(new Set(['f1']))
  })

  it('is drawn only after `after` calls, and counts for `times` only if the fault acts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(5),
        fc.integer({ min: 1, max: 5 }),
        fc.double({ min: 0.1, max: 1, noNaN: true }),
        async (after, times, probability) => {
          const { matches, counts } = await storeOf([{ after, times, probability }])
          const acted = await matches(60)
          expect(acted.slice(0, after).every(fault => fault === undefined)).toBe(true)
          const count = acted.filter(fault => fault !== undefined).length
          expect(count).toBeLessThanOrEqual(times)
          expect(counts()).toEqual([[60, count]])
        },
      ),
      { numRuns: 50 },
    )
  })
})
