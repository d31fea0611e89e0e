import type { Need, Target } from './target.ts'

/** Of each need: whether the target meets it, and what gives it. */
const needs: Readonly<Record<Need, { isMet(target: Target): boolean; given: string }>> = {
  advertiser: {
    isMet: ({ facts }) => facts.advertisers.length > 0,
    given: 'an advertiser: give --advertiser-key and --advertiser-id, or --account',
  },
  second_advertiser: {
    isMet: ({ facts }) => facts.advertisers.length > 1,
    given: 'two advertisers: give --account',
  },
  postback_secret: {
    isMet: ({ facts }) => facts.advertisers[0]?.postback_secret !== undefined,
    given: "the advertiser's secret: give --postback-secret, or --account",
  },
  second_postback_secret: {
    isMet: ({ facts }) => facts.advertisers[1]?.postback_secret !== undefined,
    given: 'the secrets of two advertisers: give --account',
  },
  account: {
    isMet: ({ facts }) => facts.account !== undefined,
    given: 'the criteria that leads are judged by: give --account',
  },
  inactive_product: {
    isMet: ({ facts }) => facts.inactive_product_id !== undefined,
    given: 'a product that takes no leads: give --inactive-product, or --account',
  },
  callbacks: {
    isMet: ({ callbacks }) => callbacks !== undefined,
    given: "the publisher's callbacks: give --callback-listen, with the target's callback URL set to it",
  },
}

/** What a case lacks, as a sentence that says which flag gives it; undefined where it lacks nothing. */
export function missingNeed(wanted: readonly Need[], target: Target): string | undefined {
  const lacking = wanted.find(need => !needs[need].isMet(target))
  return lacking && `It needs ${needs[lacking].given}.`
}
