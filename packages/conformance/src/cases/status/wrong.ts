import { maxBodyBytes, convertedStatus as status } from '@lead-distribution/contract'
import type { ConformanceCase } from '../../conformance-case.ts'
import { expectCode, fieldsOf } from '../../expectations/expect-error.ts'
import { expectSame } from '../../expectations/expect-reply.ts'
import { expectSomeRefusal } from '../../expectations/expect-report.ts'
import { reportStatus } from '../../report-status.ts'

/** Bodies with one field that has another type than the specification says. */
const wrong: readonly (readonly [words: string, field: string, body: object])[] = [
  ['a status that is a number', 'status', { status: 1 }],
  ['a status that is null', 'status', { status: null }],
  ['an advertiser_id that is no UUID', 'advertiser_id', { status, advertiser_id: 'advertiser-1' }],
  ['metadata that is a text', 'metadata', { status, metadata: '24' }],
  ['an amount that is a text', 'metadata.amount', { status, metadata: { amount: '5000' } }],
  ['a term that is a text', 'metadata.term_months', { status, metadata: { term_months: '24' } }],
  ['a term of a month and a half', 'metadata.term_months', { status, metadata: { term_months: 1.5 } }],
]

/** What the specification does not say of the body, and we do. */
const wrongAsWeRead: typeof wrong = [
  ['a body without a status', 'status', {}],
  ['an empty status', 'status', { status: '' }],
  ['metadata that is a list', 'metadata', { status, metadata: [] }],
  ["an advertiser_id that is not the key's own", 'advertiser_id', { status, advertiser_id: crypto.randomUUID() }],
  ['a body that is a list', 'body', []],
]

const idOf = (words: string) => `refuses-${words.toLowerCase().replaceAll("'", '').replaceAll(' ', '-')}`

/** Bodies and declarations that a status update is refused for (Spec 4.2). */
export const wrongCases: readonly ConformanceCase[] = [
  ...wrong.map(
    ([words, , body]): ConformanceCase => ({
      id: `4.2/${idOf(words)}`,
      title: `refuses ${words}`,
      statements: ['4.2/errors'],
      needs: ['advertiser'],
      async run(target) {
        expectSomeRefusal(await reportStatus(target, await target.distributedLead(), body))
      },
    }),
  ),
  ...[...wrong, ...wrongAsWeRead].map(
    ([words, field, body]): ConformanceCase => ({
      id: `open/${idOf(words)}-with-400`,
      title: `refuses ${words} with a 400 that names the field alone, by its dotted path`,
      statements: ['4.2/errors', ...(field === 'advertiser_id' ? (['4.2/advertiser_id'] as const) : [])],
      needs: ['advertiser'],
      weight: 'reading',
      async run(target) {
        const reply = await reportStatus(target, await target.distributedLead(), body)
        expectCode(reply, 'validation_error')
        expectSame('the fields that are named', fieldsOf(reply), [field])
      },
    }),
  ),
  {
    id: 'open/refuses-the-advertiser_id-of-another-with-400',
    title: 'refuses the advertiser_id of another advertiser of the account with a 400 that names it alone',
    statements: ['4.2/errors', '4.2/advertiser_id'],
    needs: ['second_advertiser'],
    weight: 'reading',
    async run(target) {
      const advertiser_id = target.facts.advertisers[1]?.advertiser_id
      const reply = await reportStatus(target, await target.distributedLead(), { status, advertiser_id })
      expectCode(reply, 'validation_error')
      expectSame('the fields that are named', fieldsOf(reply), ['advertiser_id'])
    },
  },
  {
    id: 'open/status-body-is-json',
    title: 'refuses a status update that breaks off, is too large, or is not called JSON',
    statements: ['open/error.malformed_json', 'open/error.payload_too_large', 'open/error.unsupported_media_type'],
    needs: ['advertiser'],
    weight: 'reading',
    async run(target) {
      const path = `/lead/${await target.distributedLead()}/status`
      const key = target.facts.advertisers[0]?.api_key
      const [method = 'POST'] = (await target.reading('status_methods')) ?? []
      const json = { 'content-type': 'application/json' }
      const text = JSON.stringify({ status })
      const send = (body: string, headers: Record<string, string>) => target.call(method, path, { key, body, headers })
      expectCode(await send(text.slice(0, -1), json), 'malformed_json')
      expectCode(await send(text.padEnd(maxBodyBytes + 1), json), 'payload_too_large')
      expectCode(await send(text, { 'content-type': 'text/plain' }), 'unsupported_media_type')
    },
  },
]
