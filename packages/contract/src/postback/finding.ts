/** What of a postback URL is looked at, in the order of the checks that the pixel makes. */
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

/** What was found of one thing. */
export interface PostbackFinding {
  /** What was looked at. */
  readonly check: PostbackCheck
  /** `wrong`: the URL does not report an event so. `warning`: it does, and something is amiss all the same. */
  readonly verdict: 'ok' | 'warning' | 'wrong'
  /** A whole sentence. No token, key or secret stands in it. */
  readonly message: string
}

/** Makes the findings of one check. */
export function findingOf(check: PostbackCheck) {
  return (verdict: PostbackFinding['verdict'], message: string): PostbackFinding => ({ check, verdict, message })
}
