import type { Reply } from '../target.ts'

const mostLetters = 300

/** A reply as a report tells it: its status, and the beginning of its body. */
export function told({ status, text }: Reply): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const body = line.length > mostLetters ? `${line.slice(0, mostLetters)}…` : line
  return body === '' ? `${status} without a body` : `${status} ${body}`
}
