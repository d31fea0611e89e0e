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
import { accepted, declined } from './full-lead.ts'

const nobody = '00000000-0000-0000-0000-000000000000'

/** Sees that a lead is refused for its meaning: a 422, or a rejection, as the target reads point 3. */
async function expectSemanticRefusal(target: Target, response: TargetResponse, reason: RejectionReason): Promise<void> {
  const interpretation = await target.interpretation('semantic_refusals')
  const isRejection = interpretation === 'rejected_200' || (interpretation === undefined && response.status === 200)
  if (!isRejection) return expectRefusal(response, 422)
  expectRejected(response, reason)
  expectOf(response, isAbsent(response.json.lead_id), 'no lead_id, for no lead was created')
}

/** What the consents of a lead may lack. */
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
  title: `refuses consents with ${name.replaceAll('-', ' ')}`,
  statements: ['2.9/entries', '2.12/consents_missing', '4.1/422', '7/422', '8/required_accepted_consents'],
  async run(target) {
    const response = await target.submit(target.submission({ 'consents.entries': entries }))
    await expectSemanticRefusal(target, response, 'consents_missing')
  },
}))

/** Consents and products, by what they mean (Spec 2.9, 4.1). */
export const semanticCases: readonly ConformanceCase[] = [
  ...consentCases,
  {
    id: '2.9/takes-consents-of-the-publisher',
    title: "takes consents of the publisher's own types beside the required ones, accepted or declined",
    statements: ['2.9/entry.type', '2.9/entry.accepted', '2.9/entry.accepted_at'],
    async run(target) {
      const entries = [...requiredConsents.map(accepted), declined('marketing'), accepted('profiling_by_partners')]
      expectLead(await target.submit(target.submission({ 'consents.entries': entries })))
    },
  },
  {
    id: '2.9/takes-consents-in-any-order',
    title: 'finds the required consents in any place of the list',
    statements: ['2.9/entries'],
    async run(target) {
      const entries = [declined('marketing'), ...requiredConsents.toReversed().map(accepted)]
      expectLead(await target.submit(target.submission({ 'consents.entries': entries })))
    },
  },
  {
    id: 'open/accepted-says-when',
    title: 'refuses an accepted consent that does not say when',
    statements: ['2.9/entry.accepted_at'],
    weight: 'interpretation',
    async run(target) {
      const response = await target.submit(target.submission({ 'consents.entries.0.accepted_at': null }))
      expectFieldRefused(response, 'consents.entries.0.accepted_at')
    },
  },
  {
    id: '4.1/refuses-an-unknown-product',
    title: 'refuses a product that is not there',
    statements: ['2.1/product_id', '2.12/invalid_product', '4.1/422', '7/422'],
    async run(target) {
      const response = await target.submit(target.submission({ product_id: nobody }))
      await expectSemanticRefusal(target, response, 'invalid_product')
    },
  },
  {
    id: '2.12/refuses-an-inactive-product',
    title: 'refuses a product that takes no leads',
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
    title: 'answers a product that takes no leads with a rejection, whatever it does with an unknown one',
    statements: ['2.12/invalid_product', 'open/semantic_refusals'],
    needs: ['inactive_product'],
    weight: 'interpretation',
    async run(target) {
      const response = await target.submit(target.submission({ product_id: target.facts.inactive_product_id }))
      expectRejected(response, 'invalid_product')
    },
  },
  {
    id: 'open/refuses-another-publisher',
    title: "refuses a publisher_id that is not the key's own",
    statements: ['open/error.publisher_mismatch', '2.1/publisher_id', '5/issued_by'],
    weight: 'interpretation',
    async run(target) {
      expectCode(await target.submit(target.submission({ publisher_id: nobody })), 'publisher_mismatch')
    },
  },
  ...(['consents_missing', 'invalid_product'] as const).map(
    (code): ConformanceCase => ({
      id: `open/calls-it-${code}`,
      title: `calls a refusal ${code}, where it is a 422`,
      statements: [`open/error.${code}`, 'open/semantic_refusals'],
      weight: 'interpretation',
      async run(target) {
        const changes = code === 'invalid_product' ? { product_id: nobody } : { 'consents.entries': [] }
        const response = await target.submit(target.submission(changes))
        if (response.status === 200) expectRejected(response, code)
        else expectCode(response, code)
      },
    }),
  ),
]
