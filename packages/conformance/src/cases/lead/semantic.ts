import { type RejectionReason, requiredConsents } from '@lead-distribution/contract'
import type { ConformanceCase } from '../../conformance-case.ts'
import {
  expectCode,
  expectFieldRefused,
  expectLead,
  expectOf,
  expectRefusal,
  expectRejected,
  isAbsent,
} from '../../expectations.ts'
import type { Target, TargetResponse } from '../../target.ts'
import { accepted, declined, unknownId } from './full-lead.ts'

/** Expects a 422 or a rejection, depending on the target's interpretation of point 3. */
async function expectSemanticRefusal(target: Target, response: TargetResponse, reason: RejectionReason): Promise<void> {
  const interpretation = await target.interpretation('semantic_refusals')
  const isRejection = interpretation === 'rejected_200' || (interpretation === undefined && response.status === 200)
  if (!isRejection) return expectRefusal(response, 422)
  expectRejected(response, reason)
  expectOf(response, isAbsent(response.json.lead_id), 'no lead_id, because no lead was created')
}

/** Consents with something missing. */
const lacking: readonly (readonly [name: string, entries: readonly unknown[]])[] = [
  ...requiredConsents.flatMap(type => {
    const other = requiredConsents.filter(each => each !== type).map(accepted)
    return [
      [`no-${type}`, other],
      [`${type}-declined`, [...other, declined(type)]],
    ] as const
  }),
  ['no-consents', []],
  ['foreign-consents', [accepted('marketing')]],
]

const consentCases: readonly ConformanceCase[] = lacking.map(([name, entries]) => ({
  id: `2.9/refuses-${name}`,
  title: `refuses incomplete consents: ${name.replaceAll('-', ' ')}`,
  statements: ['2.9/entries', '2.12/consents_missing', '4.1/422', '7/422', '8/required_accepted_consents'],
  async run(target) {
    const response = await target.submit(target.submission({ 'consents.entries': entries }))
    await expectSemanticRefusal(target, response, 'consents_missing')
  },
}))

/** Semantic checks of consents, products and publishers (Spec 2.9, 4.1). */
export const semanticCases: readonly ConformanceCase[] = [
  ...consentCases,
  {
    id: '2.9/takes-consents-of-the-publisher',
    title: "accepts consents of the publisher's own types, accepted or declined, besides the required ones",
    statements: ['2.9/entry.type', '2.9/entry.accepted', '2.9/entry.accepted_at'],
    async run(target) {
      const entries = [...requiredConsents.map(accepted), declined('marketing'), accepted('profiling_by_partners')]
      expectLead(await target.submit(target.submission({ 'consents.entries': entries })))
    },
  },
  {
    id: '2.9/takes-consents-in-any-order',
    title: 'finds the required consents anywhere in the list',
    statements: ['2.9/entries'],
    async run(target) {
      const entries = [declined('marketing'), ...requiredConsents.toReversed().map(accepted)]
      expectLead(await target.submit(target.submission({ 'consents.entries': entries })))
    },
  },
  {
    id: 'open/accepted-says-when',
    title: 'refuses an accepted consent without a time',
    statements: ['2.9/entry.accepted_at'],
    async run(target) {
      const response = await target.submit(target.submission({ 'consents.entries.0.accepted_at': null }))
      expectFieldRefused(response, 'consents.entries.0.accepted_at')
    },
  },
  {
    id: '4.1/refuses-an-unknown-product',
    title: 'refuses an unknown product',
    statements: ['2.1/product_id', '2.12/invalid_product', '4.1/422', '7/422'],
    async run(target) {
      const response = await target.submit(target.submission({ product_id: unknownId }))
      await expectSemanticRefusal(target, response, 'invalid_product')
    },
  },
  {
    id: '2.12/refuses-an-inactive-product',
    title: 'refuses an inactive product',
    statements: ['2.12/invalid_product'],
    needs: ['inactive_product'],
    async run(target) {
      const response = await target.submit(target.submission({ product_id: target.facts.inactive_product_id }))
      if (response.status === 422) expectRefusal(response, 422)
      else expectRejected(response, 'invalid_product')
    },
  },
  {
    id: 'open/rejects-an-inactive-product',
    title: 'rejects an inactive product, regardless of how it refuses an unknown one',
    statements: ['2.12/invalid_product', 'open/semantic_refusals'],
    needs: ['inactive_product'],
    async run(target) {
      const response = await target.submit(target.submission({ product_id: target.facts.inactive_product_id }))
      expectRejected(response, 'invalid_product')
    },
  },
  {
    id: 'open/refuses-another-publisher',
    title: "refuses a publisher_id that doesn't belong to the key",
    statements: ['open/error.publisher_mismatch', '2.1/publisher_id', '5/issued_by'],
    async run(target) {
      expectCode(await target.submit(target.submission({ publisher_id: unknownId })), 'publisher_mismatch')
    },
  },
  ...(['consents_missing', 'invalid_product'] as const).map(
    (code): ConformanceCase => ({
      id: `open/calls-it-${code}`,
      title: `uses the error code ${code} if it responds with 422`,
      statements: [`open/error.${code}`, 'open/semantic_refusals'],
      async run(target) {
        const changes = code === 'invalid_product' ? { product_id: unknownId } : { 'consents.entries': [] }
        const response = await target.submit(target.submission(changes))
        if (response.status === 200) expectRejected(response, code)
        else expectCode(response, code)
      },
    }),
  ),
]
