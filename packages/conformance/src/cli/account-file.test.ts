import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { advertiserCriteria, defaultsOf, productCriteria } from '@lead-distribution/contract'
import { afterAll, expect, it } from 'vitest'
import { accountIn } from './account-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'account-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A handwritten account: only the parts that the suite reads. */
const account = {
  base_url: 'https://sandbox.leads.example/api/v1',
  publisher: { publisher_id: 'p', api_key: 'k' },
  advertisers: [{ advertiser_id: 'a', api_key: 'k', criteria: defaultsOf(advertiserCriteria) }],
  products: [{ product_id: 'one', active: true, criteria: defaultsOf(productCriteria) }],
  blacklist: [],
}

function fileOf(content: object): string {
  const file = join(folder, 'account.json')
  writeFileSync(file, JSON.stringify(content))
  return file
}

it('reads an account with only the parts that the cases need', async () => {
  expect(await accountIn(fileOf(account))).toMatchObject({ baseUrl: account.base_url, product_id: 'one' })
})

it('reads a file with a byte order mark, and refuses one that is not UTF-8', async () => {
  const file = fileOf(account)
  writeFileSync(file, `\ufeff${JSON.stringify(account)}`)
  expect(await accountIn(file)).toMatchObject({ baseUrl: account.base_url })
  writeFileSync(file, Buffer.from('{"name":"Íñigo"}', 'latin1'))
  await expect(accountIn(file)).rejects.toThrow('is not UTF-8: the byte at offset 9 is 0xCD. Save it as UTF-8.')
})

it.each([
  ['a list', { ...account, blacklist: undefined }, 'blacklist is required'],
  [
    'a criterion',
    {
      ...account,
      products: [{ ...account.products[0], criteria: { ...account.products[0]?.criteria, loan_amount: undefined } }],
    },
    'products.0.criteria.loan_',
  ],
  ['an active product', { ...account, products: [] }, 'no active product'],
])('reports a missing %s when reading the file, rather than failing in a case', async (_what, content, message) => {
  await expect(accountIn(fileOf(content))).rejects.toThrow(message)
})
