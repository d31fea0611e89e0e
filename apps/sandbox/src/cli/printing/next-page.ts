import { paint } from './paint.ts'

/** A list for people, and below it how to see the next page where there is one. */
export function withNext(list: string, next: string | undefined): string {
  return next === undefined ? list : `${list}\n${paint('dim', `There are more: add --before ${next}`)}`
}
