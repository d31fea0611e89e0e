import { type ControlOperationName, controlOperations } from '@lead-distribution/simulator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Adapter, fetchHead } from '../adapters/adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { eachRow } from '../each-row.ts'
import { type ControlSubject, callOf, createControlSubject } from './control-subject.fixture.ts'

const names = Object.keys(controlOperations) as ControlOperationName[]

describe('the token of a tenant, by a real socket', () => {
  const adminToken = 'T0ken-of-the-team'
  let adapter: Adapter
  let allowed: Adapter
  beforeAll(async () => {
    adapter = await openExpressAdapter({ adminToken })
    allowed = {
      ...adapter,
      request: (method, target, { headers, ...options } = {}) =>
        adapter.request(method, target, {
          ...options,
          headers: { authorization: `Bearer ${adminToken}`, ...headers },
        }),
    }
  })
  afterAll(() => adapter.close())

  it('opens every operation on its tenant that its role allows, and none on another one', () =>
    eachRow(names, async name => {
      const [own, other] = [await createControlSubject(allowed), await createControlSubject(allowed)]
      const operation: { readonly needs?: 'admin' | 'write'; readonly path: string } = controlOperations[name]
      const tokens = await Promise.all(
        ['read', 'write'].map(
          async role => (await own.tenant.control('POST', '/tokens', { body: { role } })).json.token,
        ),
      )
      const before = await other.state()
      for (const [token, isWriting] of tokens.map((token, place) => [token, place === 1] as const)) {
        const ask = async (subject: ControlSubject) => {
          const { method, target, ...body } = callOf(subject, name)
          const headers = { authorization: `Bearer ${token}` }
          if ('streams' in controlOperations[name]) return (await fetchHead(`${adapter.url}${target}`, headers)).status
          return (await adapter.request(method, target, { ...body, headers })).status
        }
        if (operation.path.includes(':tenant')) expect(await ask(other)).toBe(403)
        const onlyReads = operation.needs !== 'write' && controlOperations[name].methods[0] === 'GET'
        const mayDo = operation.needs !== 'admin' && (isWriting || onlyReads)
        if (mayDo) expect([200, 201, 400, 404]).toContain(await ask(own))
        else expect(await ask(own)).toBe(403)
      }
      expect(await other.state()).toEqual(before)
    }))
})
