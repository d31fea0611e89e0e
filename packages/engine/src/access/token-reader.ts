import { equalText, leadTokenWith, type TokenKey, tokenKey } from '@lead-distribution/contract'
import type { Account, Advertiser } from '../account.ts'

export { leadToken, type TokenSubject } from '@lead-distribution/contract'

/** Finds the advertiser that a token of a lead was made for, whether it has the lead or not. */
export type TokenReader = (token: string, leadId: string, account: TokenAccount) => Promise<Advertiser | undefined>

/** The part of an account that a token depends on. */
export type TokenAccount = Pick<Account, 'advertisers'> & {
  readonly settings: Pick<Account['settings'], 'token_format'>
}

/**
 * Makes a reader of tokens (Spec 5; point 11 of the open points). It imports the key of each advertiser once, and
 * compares the token of every one, so that the time reveals nothing.
 */
export function createTokenReader(): TokenReader {
  /** By the advertiser of an account, which is replaced as a whole by a change. */
  const keys = new WeakMap<Advertiser, { readonly hash: string; readonly key: Promise<TokenKey> }>()
  function keyOf(advertiser: Advertiser, hash: string): Promise<TokenKey> {
    const known = keys.get(advertiser)
    if (known?.hash === hash) return known.key
    const key = tokenKey(advertiser.postback_secret, hash)
    keys.set(advertiser, { hash, key })
    return key
  }
  return async (token, lead_id, { advertisers, settings: { token_format } }) => {
    const tokens = await Promise.all(
      advertisers.map(async advertiser => {
        const key = await keyOf(advertiser, token_format.hash)
        return leadTokenWith(key, { lead_id, advertiser_id: advertiser.advertiser_id }, token_format)
      }),
    )
    return advertisers.filter((_, index) => equalText(token, tokens[index] ?? ''))[0]
  }
}
