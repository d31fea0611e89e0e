import { equalText, leadToken, type TokenSubject } from '@lead-distribution/contract'
import type { TokenFormat } from '../settings.ts'

export { leadToken, type TokenSubject } from '@lead-distribution/contract'

/** The subject that a token was made for. Every one is compared, so that the time reveals nothing. */
export async function findTokenSubject<Subject extends TokenSubject>(
  token: string,
  subjects: readonly Subject[],
  format: TokenFormat,
): Promise<Subject | undefined> {
  const tokens = await Promise.all(subjects.map(subject => leadToken(subject, format)))
  return subjects.filter((_, index) => equalText(token, tokens[index] ?? ''))[0]
}
