/** The checks of a postback URL, in the order in which the pixel makes them. */
export type PostbackCheck =
  | 'url'
  | 'origin'
  | 'path'
  | 'lead'
  | 'distribution'
  | 'key'
  | 'token'
  | 'event'
  | 'ref'
  | 'parameters'

/** The finding of one check. */
export interface PostbackFinding {
  /** What was looked at. */
  readonly check: PostbackCheck
  /** `wrong`: the URL does not report an event. `warning`: it does, but something is not right. */
  readonly verdict: 'ok' | 'warning' | 'wrong'
  /** A whole sentence. It holds no token, key or secret. */
  readonly message: string
}

/** Creates the findings of one check. */
export function findingOf(check: PostbackCheck) {
  return (verdict: PostbackFinding['verdict'], message: string): PostbackFinding => ({ check, verdict, message })
}

const placeHolders = [/^[[{<(%#$]+\w[\w .-]*[\]}>)%#]+$/, /^\$\w+$/, /^__\w+__$/]

/** Whether a text is a place-holder that an advertiser's platform had to fill in: `{event}`, `%%TOKEN%%`, `${ref}`. */
export function isPlaceHolder(text: string): boolean {
  return text.length <= 100 && placeHolders.some(form => form.test(text))
}
