/**
 * The address of one callback: the publisher's own, its query kept letter by letter, `lead_id` and `event` set on it
 * in place of parameters of those names (Spec 6.2).
 */
export function callbackUrl(base: string, lead_id: string, event: string): string {
  const url = new URL(base)
  const kept = url.search
    .slice(1)
    .split('&')
    .filter(pair => pair !== '' && !isOurs(pair))
  // A lone surrogate cannot be escaped: it goes out as the replacement character.
  url.search = [...kept, `lead_id=${lead_id}`, `event=${encodeURIComponent(event.toWellFormed())}`].join('&')
  url.hash = ''
  return url.href
}

function isOurs(pair: string): boolean {
  const [name] = new URLSearchParams(pair).keys()
  return name === 'lead_id' || name === 'event'
}
