import type { HttpRequest } from '@lead-distribution/http'
import { describe, expect, it } from 'vitest'
import { manualTime, noon, settled } from '../ports.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import { leads, openProcess, openTenant, type ReceiverResponse } from './worker.fixture.ts'

describe('due callbacks', () => {
  it('do not wait for callbacks to a hanging receiver', async () => {
    const respond: ReceiverResponse = lead => (Number(lead.split('-')[1]) % 50 === 0 ? undefined : { status: 200 })
    const tenant = await openTenant(openProcess(), 'qa', { respond })
    await tenant.add(leads(600))
    tenant.worker.wake()
    await expect.poll(tenant.pending).toBe(12)
    expect(new Set(tenant.sent).size).toBe(600)
  })

  it('do not wait for those of another tenant with a hanging receiver', async () => {
    const process = openProcess()
    const hanging = await Promise.all(
      leads(3, 'hanging').map(name =>
        openTenant(process, name, { respond: () => undefined, url: `http://${name}.localhost/` }),
      ),
    )
    for (const tenant of hanging) {
      await tenant.add(leads(200))
      tenant.worker.wake()
    }
    const other = await openTenant(process, 'other')
    await other.add(leads(200))
    other.worker.wake()
    await expect.poll(other.pending).toBe(0)
    expect(hanging.map(({ sent }) => sent.length)).toEqual([64, 64, 64])
  })

  it('are sent 64 at a time, earliest first, and continue as slots become free', async () => {
    const process = openProcess()
    const tenant = await openTenant(process, 'qa', { respond: () => undefined, settings: { callback_retries: [] } })
    await tenant.add(leads(150))
    tenant.worker.wake()
    await process.time.advance(9_999)
    expect(tenant.sent).toEqual(leads(64))
    await process.time.advance(1)
    // 64 attempts without a response: the receiver is paused.
    await process.time.advance(2_000)
    expect([tenant.sent.length, tenant.most.inFlight]).toEqual([128, 64])
    await process.time.advance(30_000)
    expect([tenant.sent, tenant.most.inFlight, await tenant.pending()]).toEqual([leads(150), 64, 0])
  })

  it('of one lead are sent in sequence, while those of other leads continue', async () => {
    const process = openProcess()
    const respond: ReceiverResponse = (lead, nth) => (lead === 'slow' && nth === 1 ? undefined : { status: 200 })
    const tenant = await openTenant(process, 'qa', { respond })
    await tenant.add(['slow', 'slow', 'quick', 'quick'])
    tenant.worker.wake()
    await expect.poll(() => tenant.states('quick')).toEqual(['delivered 1', 'delivered 1'])
    expect(await tenant.states('slow')).toEqual(['pending 0', 'pending 0'])
    await process.time.advance(10_000)
    expect(await tenant.states('slow')).toEqual(['pending 1', 'pending 0'])
    await process.time.advance(5_000)
    expect(await tenant.states('slow')).toEqual(['delivered 2', 'delivered 1'])
  })

  it('are recorded in a batch with others that have finished in the meantime', async () => {
    const tenant = await openTenant(openProcess(), 'qa')
    await tenant.add(leads(640))
    tenant.worker.wake()
    await expect.poll(tenant.pending).toBe(0)
    expect(tenant.most.transactions).toBeLessThan(60)
  })

  it('are sent when they fall due, even while others are in flight', async () => {
    const process = openProcess()
    const respond: ReceiverResponse = lead => (lead === 'slow' ? undefined : { status: 200 })
    const tenant = await openTenant(process, 'qa', { respond })
    await tenant.add(['slow'])
    await tenant.add(['later'], noon + 3_000)
    tenant.worker.wake()
    await process.time.advance(2_999)
    expect(tenant.sent).toEqual(['slow'])
    await process.time.advance(1)
    expect(tenant.sent).toEqual(['slow', 'later'])
  })

  it('run in order during an advance, concurrently if due at the same time, even if the receiver hangs', async () => {
    const process = openProcess()
    const tenant = await openTenant(process, 'qa', {
      respond: () => undefined,
      isFrozen: true,
      settings: { callback_retries: ['PT1H'] },
    })
    await tenant.add(leads(30))
    await tenant.add(leads(30, 'later'), noon + 60_000)
    const start = process.time.clock.now()
    let took: number | undefined
    const advancing = tenant.worker.advance(3_600_000 + 60_000)
    void advancing.then(() => (took = process.time.clock.now() - start))
    await process.time.advance(60_000)
    // Two due times and their retries: four timeouts, not 120, and one pause of the host.
    expect([await advancing, took, await tenant.pending()]).toEqual([120, 42_000, 0])
    expect(tenant.sent).toEqual([...leads(30), ...leads(30, 'later'), ...leads(30), ...leads(30, 'later')])
  })

  it("settle as of now: later ones don't prolong the wait", async () => {
    const process = openProcess()
    const respond: ReceiverResponse = lead => (lead === 'slow' ? undefined : { status: 200 })
    const tenant = await openTenant(process, 'qa', { respond })
    await tenant.add(['quick'])
    await tenant.add(['slow'], noon + 1)
    await tenant.worker.settle()
    expect(await tenant.states('quick')).toEqual(['delivered 1'])
    await process.time.advance(1)
    expect(tenant.sent).toEqual(['quick', 'slow'])
    let isSettled = false
    void tenant.worker.settle().then(() => (isSettled = true))
    await settled()
    expect(isSettled).toBe(false)
    await process.time.advance(10_000)
    expect(isSettled).toBe(true)
  })

  it("that fail together don't block `settle`, and each error is reported", async () => {
    const failing = Promise.withResolvers<never>()
    const tenant = await openTenant(openProcess(), 'qa', { egress: { send: () => failing.promise } })
    await tenant.add(['a', 'b', 'c'])
    tenant.worker.wake()
    await settled()
    const paused = tenant.worker.pause(async () => 'paused')
    failing.reject(new Error('The tenant is gone.'))
    expect(await paused).toBe('paused')
    expect(tenant.errors).toHaveLength(3)
  })

  it("that succeed and fail while the worker is about to pause don't block `settle`", async () => {
    const ending = Promise.withResolvers<void>()
    const egress = {
      async send({ url }: { url: string }) {
        await ending.promise
        if (url.includes('failing')) throw new Error('The disk is full.')
        return { status: 200 }
      },
    }
    const tenant = await openTenant(openProcess(), 'qa', { egress })
    await tenant.add(['failing', 'delivered'])
    tenant.worker.wake()
    await settled()
    const paused = tenant.worker.pause(async () => 'paused')
    ending.resolve()
    expect(await paused).toBe('paused')
    expect([await tenant.states('delivered'), tenant.errors.length]).toEqual([['delivered 1'], 1])
  })

  it('do not pause their receiver if the sandbox itself failed', async () => {
    let isFull = true
    const sent: string[] = []
    const egress = {
      async send({ url }: { url: string }) {
        if (isFull) throw new Error('The disk is full.')
        sent.push(url)
        return { status: 200 }
      },
    }
    const process = openProcess()
    const tenant = await openTenant(process, 'qa', { egress })
    await tenant.add(leads(64, 'before'))
    tenant.worker.wake()
    await expect.poll(() => tenant.errors.length).toBe(64)
    isFull = false
    await tenant.add(leads(64, 'after'))
    tenant.worker.wake()
    // Without advancing time.
    await expect.poll(() => sent.length).toBe(64)
    await process.time.advance(15_000)
    expect([sent.length, await tenant.pending()]).toEqual([128, 0])
  })

  it("that cannot be recorded don't block `settle`", async () => {
    const process = openProcess()
    let isGone = false
    const tenant = await openTenant(process, 'qa', { respond: () => undefined, isGone: () => isGone })
    await tenant.add(['a'])
    tenant.worker.wake()
    await settled()
    const paused = tenant.worker.pause(async () => 'paused')
    isGone = true
    await process.time.advance(60_000)
    expect([await paused, tenant.sent]).toEqual(['paused', ['a']])
  })

  it('end an advance at its current time when the tenant stops', async () => {
    const tenant = await openTenant(openProcess(), 'qa', { respond: () => undefined, isFrozen: true })
    await tenant.add(['due'])
    await tenant.add(['later'], noon + 60_000)
    const advancing = expect(tenant.worker.advance(3_600_000)).rejects.toThrow('The sandbox is closing')
    await settled()
    void tenant.worker.stop()
    await advancing
    expect([tenant.clock.now(), tenant.sent]).toEqual([noon, ['due']])
  })

  it('stay due when the tenant stops, which does not wait for them', async () => {
    const process = openProcess()
    const tenant = await openTenant(process, 'qa', { respond: () => undefined })
    await tenant.add(leads(200))
    const settling = tenant.worker.settle()
    await settled()
    const stopping = tenant.worker.stop()
    await settling
    await process.time.advance(60_000)
    await stopping
    expect([tenant.sent.length, await tenant.pending()]).toEqual([64, 200])
  })
})

describe('callbacks on hold', () => {
  it('settle once those in flight are done', async () => {
    const process = openProcess()
    const respond: ReceiverResponse = lead => (lead === 'slow' ? undefined : { status: 200 })
    const tenant = await openTenant(process, 'qa', { respond })
    await tenant.add(['slow'])
    tenant.worker.wake()
    await settled()
    tenant.hold(true)
    await tenant.add(['later'])
    let isSettled = false
    void tenant.worker.settle().then(() => (isSettled = true))
    await process.time.advance(9_999)
    expect(isSettled).toBe(false)
    await process.time.advance(1)
    expect([isSettled, tenant.sent]).toEqual([true, ['slow']])
    expect([await tenant.states('slow'), await tenant.states('later')]).toEqual([['pending 1'], ['pending 0']])
  })
})

describe("setting the machine's clock back", () => {
  const hour = 3_600_000
  const failing: ReceiverResponse = (_, nth) => ({ status: nth === 1 ? 500 : 200 })

  it("does not delay a callback's retry, whenever it happens", async () => {
    for (const passed of [0, 1, 4_999]) {
      const process = openProcess()
      const tenant = await openTenant(process, 'qa', { respond: failing })
      await tenant.add(['lead'])
      tenant.worker.wake()
      await process.time.advance(passed)
      process.setBack(hour)
      await process.time.advance(4_999 - passed)
      expect(await tenant.states('lead')).toEqual(['pending 1'])
      await process.time.advance(1)
      expect(await tenant.states('lead')).toEqual(['delivered 2'])
    }
  })

  it('does not bring forward retries of later callbacks', async () => {
    const process = openProcess()
    const tenant = await openTenant(process, 'qa', { respond: (_, nth) => ({ status: nth < 3 ? 500 : 200 }) })
    await tenant.add(['before'])
    tenant.worker.wake()
    await process.time.advance(0)
    process.setBack(hour)
    await tenant.add(['after'], tenant.clock.now())
    tenant.worker.wake()
    await process.time.advance(4_999)
    expect(tenant.sent).toEqual(['before', 'after'])
    await process.time.advance(1)
    expect(tenant.sent).toEqual(['before', 'after', 'before', 'after'])
  })

  it("does not delay the simulated advertiser's own reports", async () => {
    const process = openProcess()
    const called: string[] = []
    const call = async ({ target }: HttpRequest) => void called.push(target)
    const tenant = await openTenant(process, 'qa', { call })
    const { advertiser_id = '' } = tenant.record.advertisers[0] ?? {}
    const report = { report_id: 'r1', lead_id: 'l1', advertiser_id, event: 'approved', due_at: noon + 5_000 }
    await tenant.tables.transact(tables => tables.addReport(report))
    tenant.worker.wake()
    await process.time.advance(1_000)
    process.setBack(hour)
    await process.time.advance(4_000)
    expect(called).toEqual([expect.stringContaining('/lead/l1/status')])
  })

  it('has no effect on a frozen clock, even when it is resumed', async () => {
    const process = openProcess()
    const tenant = await openTenant(process, 'qa', { respond: failing, isFrozen: true })
    await tenant.add(['lead'])
    await tenant.worker.settle()
    process.setBack(hour)
    await tenant.worker.resume()
    await process.time.advance(4_999)
    expect(await tenant.states('lead')).toEqual(['pending 1'])
    await process.time.advance(1)
    expect(await tenant.states('lead')).toEqual(['delivered 2'])
  })

  it('while the sandbox is stopped does not delay retries, or bring forward callbacks that a fault holds', async () => {
    const first = openProcess()
    const retries = { callback_retries: ['PT5S', 'PT60S'] }
    const tenant = await openTenant(first, 'qa', { respond: failing, settings: retries })
    await tenant.add(['lead', 'held'])
    await tenant.tables.transact(async tables => {
      const leased = await tables.leaseDueCallbacks({ due_by: noon, now: 0, until: 1, limit: 9 })
      for (const callback of leased.filter(({ callback_id }) => callback_id === 'held-0'))
        await tables.postponeCallback({ callback_id: 'held-0', held: 'delay', due_at: noon + hour }, callback)
    })
    tenant.worker.wake()
    await first.time.advance(0)
    await tenant.worker.stop()
    const second = openProcess(first.storage)
    second.setBack(24 * hour)
    const again = await openTenant(second, 'qa', { settings: retries })
    again.worker.wake()
    await second.time.advance(4_999)
    expect(again.sent).toEqual([])
    await second.time.advance(1)
    expect(again.sent).toEqual(['lead'])
    await second.time.advance(hour)
    expect(again.sent).toEqual(['lead'])
  })
})

describe('a worker', () => {
  it('runs jobs that fall due during a round at once', async () => {
    const process = openProcess()
    let rounds = 0
    const tenant = await openTenant(process, 'qa', {
      // The first transaction opens the tenant, the second adds the callback.
      async onTransacted() {
        if (++rounds === 2) await process.time.advance(50)
      },
    })
    await tenant.add(['lead'], noon + 50)
    tenant.worker.wake()
    await settled()
    await settled()
    expect([tenant.sent, process.time.clock.now()]).toEqual([['lead'], noon + 50])
  })

  it('runs jobs added during a round', async () => {
    const tenant = await openTenant(openProcess(), 'qa')
    await tenant.add(['first'])
    tenant.worker.wake()
    await tenant.add(['second'])
    tenant.worker.wake()
    tenant.worker.wake()
    await settled()
    expect(tenant.sent).toEqual(['first', 'second'])
  })

  it('has at most one timer, however often it is woken', async () => {
    const process = openProcess()
    const tenant = await openTenant(process, 'qa')
    await tenant.add(['lead'], noon + 5_000)
    for (let turn = 0; turn < 10; turn++) {
      tenant.worker.wake()
      await settled()
    }
    expect(process.time.waiting()).toBe(1)
  })

  it('waits for a job due in a year, with timers of a valid length', async () => {
    const year = 365 * 86_400_000
    const time = manualTime()
    const lengths: number[] = []
    const timer: typeof time.timer = {
      after(ms, run) {
        lengths.push(ms)
        return time.timer.after(ms, run)
      },
    }
    const tenant = await openTenant(openProcess(createMemoryStorage(), { ...time, timer }), 'qa')
    await tenant.add(['lead'], noon + year)
    tenant.worker.wake()
    await time.advance(year - 1)
    expect(tenant.sent).toEqual([])
    await time.advance(1)
    expect([tenant.sent, Math.max(...lengths)]).toEqual([['lead'], 2 ** 31 - 1])
  })

  it('reports an error and retries a second later', async () => {
    const process = openProcess()
    let isGone = false
    const tenant = await openTenant(process, 'qa', { isGone: () => isGone })
    await tenant.add(['lead'])
    isGone = true
    tenant.worker.wake()
    await settled()
    isGone = false
    await process.time.advance(999)
    expect([tenant.errors.length, tenant.sent]).toEqual([1, []])
    await process.time.advance(1)
    expect(tenant.sent).toEqual(['lead'])
  })

  it('starts another round after a second while another process has the due job, even on a frozen clock', async () => {
    const process = openProcess()
    const tenant = await openTenant(process, 'qa', { isFrozen: true })
    await tenant.add(['lead'])
    await tenant.tables.transact(tables =>
      tables.leaseDueCallbacks({ due_by: noon, now: noon, until: noon + 2_500, limit: 1 }),
    )
    tenant.worker.wake()
    await process.time.advance(2_999)
    expect(tenant.sent).toEqual([])
    await process.time.advance(1)
    expect(tenant.sent).toEqual(['lead'])
  })

  it('sets no timer on a frozen clock, and runs due jobs when the clock is set', async () => {
    const process = openProcess()
    const tenant = await openTenant(process, 'qa', { isFrozen: true })
    await tenant.add(['lead'], noon + 1_000)
    tenant.worker.wake()
    await process.time.advance(1_000)
    expect([tenant.sent, process.time.waiting()]).toEqual([[], 0])
    await tenant.worker.set(noon + 1_000)
    expect(tenant.sent).toEqual(['lead'])
  })

  it('pauses for exclusive work, then runs jobs that fell due in the meantime', async () => {
    const process = openProcess()
    const tenant = await openTenant(process, 'qa')
    await tenant.add(['later'], noon + 1_000)
    tenant.worker.wake()
    await settled()
    await tenant.worker.pause(async () => {
      await tenant.add(['now'])
      tenant.worker.wake()
      await process.time.advance(1_000)
      expect([tenant.sent, process.time.waiting()]).toEqual([[], 0])
    })
    await settled()
    expect(tenant.sent).toEqual(['now', 'later'])
    await expect(
      tenant.worker.pause(async () => {
        throw new Error('It failed.')
      }),
    ).rejects.toThrow('It failed.')
    await tenant.add(['after'])
    await tenant.worker.settle()
    expect(tenant.sent).toEqual(['now', 'later', 'after'])
  })
})
