import type { Facts } from './facts.ts'

/**
 * Takes out of a text what no report may contain: the keys and secrets of the target, tokens, and e-mail addresses.
 */
export function redactor({ publisher, advertisers, callback_secret = '' }: Facts): (text: string) => string {
  const secrets = [
    publisher.api_key,
    callback_secret,
    ...advertisers.flatMap(each => [each.api_key, each.postback_secret ?? '']),
  ]
    .filter(secret => secret !== '')
    .toSorted((a, b) => b.length - a.length)
  return text =>
    secrets
      .reduce((kept, secret) => kept.replaceAll(secret, '[key]'), text)
      .replace(/([?&](?:token|apikey|[\w-]*signature)=)[^&\s"]+/gi, '$1[token]')
      .replace(/[^\s"'<>,:;(){}[\]]+@[^\s"'<>,:;(){}[\]]+/g, '[e-mail]')
}
