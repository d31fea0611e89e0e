import { beforeEach, describe, expect, it } from 'vitest'
import { inboxEntry, openTables, requestRecord } from './records.fixture.ts'
import type { CallBodies, RequestRecord } from './records.ts'
import type { SandboxTables } from './sandbox-tables.ts'

let tables: SandboxTables
beforeEach(async () => {
  tables = await openTables()
})

describe('the journal', () => {
  const add = (...numbers: number[]) => tables.addRequests(numbers.map(number => requestRecord(number)))
  /** Reads the numbers of all requests below a number. */
  async function readAll(before?: number): Promise<number[]> {
    const all: RequestRecord[] = []
    for (let some = await tables.readRequests(before); some.length > 0; ) {
      all.push(...some)
      some = await tables.readRequests(some.at(-1)?.number)
    }
    return all.map(({ number }) => number)
  }

  it.each([
    [1, []],
    [2, [1]],
    [3, [2, 1]],
    [5, [4, 3, 2, 1]],
    [7, [4, 3, 2, 1]],
    [8, [7, 4, 3, 2, 1]],
    [undefined, [9, 7, 4, 3, 2, 1]],
  ])('returns the requests below %s, newest first', async (before, expected) => {
    await add()
    expect(await readAll(before)).toEqual([])
    await add(1)
    await add(2, 3, 4)
    await add(7, 9)
    expect(await readAll(before)).toEqual(expected)
  })

  it('returns about as many as requested', async () => {
    for (let number = 1; number < 9; number++) await add(number)
    const read = async (wanted: number) => (await tables.readRequests(6, wanted)).map(({ number }) => number)
    expect([await read(1), await read(3), await read(99)]).toEqual([[5], [5, 4, 3], [5, 4, 3, 2, 1]])
  })

  it('removes only requests below a number', async () => {
    for (const first of [1, 3, 5]) await add(first, first + 1)
    await tables.trimRequests(3)
    expect(await readAll()).toEqual([6, 5, 4, 3])
    await tables.trimRequests(4)
    await tables.trimRequests(1)
    expect((await readAll()).filter(number => number >= 4)).toEqual([6, 5, 4])
    await tables.trimRequests(7)
    expect(await readAll()).toEqual([])
    await add(7)
    expect(await readAll()).toEqual([7])
  })

  describe('with appended requests', () => {
    const { number: _, ...entry } = requestRecord(0)
    const append = async (from: number, bodies: (CallBodies | null)[]) => {
      const appended = await tables.appendRequests(
        bodies.map(() => entry),
        from,
        bodies,
      )
      return appended()
    }
    const bodiesOf = (text: string): CallBodies => ({
      request: { state: 'whole', text },
      response: { state: 'truncated', text: '{"ñ' },
    })
    const texts = async () =>
      (await Promise.all([1, 2, 3, 4, 5, 6].map(number => tables.readBodies(number)))).map(each => each?.request?.text)

    it('has the requests by number, and their bodies, if any', async () => {
      expect(await append(1, [])).toBe(1)
      expect(await append(1, [bodiesOf('1'), null])).toBe(1)
      expect(await append(3, [null])).toBe(3)
      expect(await append(5, [null, bodiesOf('6')])).toBe(5)
      expect(await readAll()).toEqual([6, 5, 3, 2, 1])
      expect((await tables.readRequests())[0]).toStrictEqual(requestRecord(6))
      expect(await tables.readBodies(1)).toEqual(bodiesOf('1'))
      expect(await texts()).toEqual(['1', undefined, undefined, undefined, undefined, '6'])
    })

    it('recognizes appended requests', async () => {
      await append(1, [null])
      expect(await tables.hasAppended([entry], 1)).toBe(true)
      expect(await tables.hasAppended([entry], 2)).toBe(false)
      expect(await tables.hasAppended([{ ...entry, status: 500 }], 1)).toBe(false)
    })

    it('removes bodies below a number, alone or together with their requests', async () => {
      await append(1, [bodiesOf('1'), bodiesOf('2')])
      await append(3, [bodiesOf('3')])
      await append(4, [bodiesOf('4')])
      await tables.trimBodies(1)
      expect(await texts()).toEqual(['1', '2', '3', '4', undefined, undefined])
      await tables.trimBodies(4)
      expect(await texts()).toEqual([undefined, undefined, undefined, '4', undefined, undefined])
      expect(await readAll()).toEqual([4, 3, 2, 1])
      await tables.trimRequests(5)
      expect(await tables.readBodies(4)).toBeUndefined()
    })
  })

  describe('the rejections of appended requests', () => {
    const { number: _, ...entry } = requestRecord(0)
    const rejection = (email: string) => ({
      at: 1,
      product_id: 'p1',
      reason: 'invalid_product' as const,
      email,
      loan_amount: 500,
      loan_term_months: 3,
    })
    const append = async (from: number, ...emails: (string | null)[]) =>
      tables.appendRequests(
        emails.map(() => entry),
        from,
        undefined,
        emails.map(email => (email === null ? null : rejection(email))),
      )
    const emails = async (before?: number, wanted = 9) =>
      (await tables.readRejections(before, wanted)).map(({ number, email }) => `${number} ${email}`)

    it("have their requests' numbers, are read newest first, and are removed together with them", async () => {
      await append(1, 'a', null, 'b')
      await append(4, null, null)
      await append(6, 'c')
      await append(7, 'd', 'ñ')
      expect(await tables.readRejections(2, 9)).toEqual([{ number: 1, ...rejection('a') }])
      expect(await emails()).toEqual(['8 ñ', '7 d', '6 c', '3 b', '1 a'])
      expect(await emails(8)).toEqual(['7 d', '6 c', '3 b', '1 a'])
      expect((await emails(8, 2)).slice(0, 2)).toEqual(['7 d', '6 c'])
      expect(await emails(1)).toEqual([])
      expect(await tables.findOldestRequest(5)).toMatchObject({ number: 5 })
      expect(await tables.findOldestRequest(9)).toBeUndefined()
      await tables.trimRequests(4)
      expect(await emails()).toEqual(['8 ñ', '7 d', '6 c'])
    })

    it('are added one by one from a file', async () => {
      await tables.addRejection({ number: 3, ...rejection('c') })
      await tables.addRejection({ number: 9, ...rejection('i') })
      expect(await emails()).toEqual(['9 i', '3 c'])
    })
  })
})

describe('the inbox', () => {
  const list = async (before?: number, limit = 9) => tables.listInbox({ before, limit })
  beforeEach(async () => {
    for (const received_at of [3, 1, 2]) await tables.addInboxEntry(inboxEntry(received_at))
  })

  it('returns the newest first, page by page', async () => {
    const entries = [2, 1, 3].map((at, index) => ({ number: 3 - index, ...inboxEntry(at) }))
    expect(await list()).toEqual(entries)
    expect(await list(undefined, 1)).toEqual(entries.slice(0, 1))
    expect(await list(3)).toEqual(entries.slice(1))
    expect(await list(1)).toEqual([])
  })

  it.each([
    [4, [2, 1, 3]],
    [3, [2, 1, 3]],
    [2, [2, 1]],
    [1, [2]],
    [0, []],
  ])('keeps the newest %d', async (keep, expected) => {
    await tables.trimInbox(keep)
    expect((await list()).map(({ received_at }) => received_at)).toEqual(expected)
    await tables.addInboxEntry(inboxEntry(4))
    expect((await list()).map(({ received_at }) => received_at)).toEqual([4, ...expected])
  })
})

it('sums up the coverage', async () => {
  await tables.addCoverage({})
  await tables.addCoverage({ 'reason/b': 1, 'outcome/a': 2 })
  await tables.addCoverage({ 'outcome/a': 3 })
  expect(await tables.readCoverage()).toEqual({ 'outcome/a': 5, 'reason/b': 1 })
})
