import { beforeEach, describe, expect, it } from 'vitest'
import { openSandbox } from '../sandbox.fixture.ts'

const path = '/_sandbox/v1/tenants/demo'
const inbox = 'http://127.0.0.1:4010/_sandbox/inbox/demo'
let call: Awaited<ReturnType<typeof openSandbox>>['call']
beforeEach(async () => {
  ;({ call } = await openSandbox())
})

// biome-ignore lint/suspicious/noExplicitAny: the tests edit an account as a user would.
type Edit = (account: any) => void

/** Reads an account, edits it and sends it back whole. Returns the response. */
async function sentBack(edit: Edit) {
  const { json } = await call('GET', path)
  const account = structuredClone(json)
  edit(account)
  return { before: json, ...(await call('PATCH', path, account)) }
}

describe('an account sent back', () => {
  it('changes nothing if it is unchanged, including keys', async () => {
    const { before, status, json } = await sentBack(() => undefined)
    expect([status, json]).toEqual([200, before])
    // The inbox's URL did not become the tenant's own callback URL: it follows the sandbox's address.
    expect(json.publisher.callback_url).toBe(inbox)
  })

  it('changes only the edited fields, including the callback URL', async () => {
    const { before, status, json } = await sentBack(account => {
      account.publisher.callback_url = 'http://127.0.0.1:3000/callbacks'
      account.products[0].criteria.min_age = 21
      account.advertisers[0].postback_secret = 'another'
      account.settings.gender = 'required'
    })
    expect(status).toBe(200)
    expect(json.publisher).toEqual({ ...before.publisher, callback_url: 'http://127.0.0.1:3000/callbacks' })
    expect(json.products[0].criteria).toEqual({ ...before.products[0].criteria, min_age: 21 })
    expect(json.advertisers[0]).toEqual({ ...before.advertisers[0], postback_secret: 'another' })
    expect(json.settings).toEqual({ ...before.settings, gender: 'required' })
  })

  const fixed: [field: string, edit: Edit][] = [
    ['tenant', account => Object.assign(account, { tenant: 'other' })],
    ['base_url', account => Object.assign(account, { base_url: 'http://qa.example/api/v1' })],
    [
      'publisher.publisher_id',
      ({ publisher, products: [{ product_id }] }) => Object.assign(publisher, { publisher_id: product_id }),
    ],
  ]
  it.each(fixed)('is refused as a whole if %s differs', async (field, edit) => {
    const { before, status, json } = await sentBack(account => {
      account.settings.gender = 'required'
      edit(account)
    })
    expect([status, json.details.map((issue: { field: string }) => issue.field)]).toEqual([400, [field]])
    expect((await call('GET', path)).json).toEqual(before)
  })

  it('keeps a callback URL that the change sets separately', async () => {
    const { json } = await sentBack(account => {
      account.callback_url = 'http://127.0.0.1:3000/other'
    })
    expect(json.publisher.callback_url).toBe('http://127.0.0.1:3000/other')
    const taken = await sentBack(account => {
      account.callback_url = null
    })
    expect(taken.json.publisher.callback_url).toBe(inbox)
  })
})

it.each(['demo', 'qa'])('a reset of %s keeps the callback URL and reverts the other changes', async tenant => {
  if (tenant !== 'demo')
    await call('POST', '/_sandbox/v1/tenants', { name: tenant, callback_url: 'http://127.0.0.1:1/first' })
  const of = `/_sandbox/v1/tenants/${tenant}`
  await call('PATCH', of, { callback_url: 'http://127.0.0.1:3000/callbacks', settings: { gender: 'required' } })
  const { json } = await call('POST', `${of}/reset`)
  expect([json.publisher.callback_url, json.settings.gender]).toEqual(['http://127.0.0.1:3000/callbacks', 'optional'])
  await call('PATCH', of, { callback_url: null })
  expect((await call('POST', `${of}/reset`)).json.publisher.callback_url).toContain('/_sandbox/inbox/')
})

describe('a removed product or advertiser', () => {
  it("disappears from the account, with the advertiser's key; an unknown id is refused", async () => {
    const { json: before } = await call('GET', path)
    const [product, advertiser] = [before.products[1], before.advertisers[0]]
    const { status, json } = await call('PATCH', path, { remove: [product.product_id, advertiser.advertiser_id] })
    expect(status).toBe(200)
    expect(json).toEqual({
      ...before,
      products: before.products.toSpliced(1, 1),
      advertisers: before.advertisers.toSpliced(0, 1),
    })
    const refused = await call('PATCH', path, { remove: [before.products[0].product_id, product.product_id] })
    expect([refused.status, refused.json.details]).toEqual([
      400,
      [{ field: 'remove.1', issue: 'is not a product or an advertiser of this account' }],
    ])
    expect((await call('GET', path)).json).toEqual(json)
  })
})
