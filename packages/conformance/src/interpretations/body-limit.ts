import { maxBodyBytes } from '@lead-distribution/contract'
import type { Target } from '../target.ts'
import { probeOf } from './probe.ts'

const json = { headers: { 'content-type': 'application/json' } }

/** Ours first, then what else may be found: powers of two, bytes. */
const least = 16_384
const most = 2_097_152

/** Fixed choice (Spec 8): how large may a body be? */
export const bodyLimit = probeOf('body_limit', [], async target => {
  const { status } = await target.submit('{}', json)
  if (status === 413) return [undefined, 'Even a body of two bytes is refused as one that is too large.']
  if ((await isRead(target, maxBodyBytes)) && !(await isRead(target, maxBodyBytes + 1)))
    return [`${maxBodyBytes}`, `A body of ${maxBodyBytes} bytes is read, and one with a byte more is refused.`]
  let read = 2
  for (let size = least; size <= most; size *= 2) {
    if (!(await isRead(target, size)))
      return [`${read}..${size}`, `A body of ${read} bytes is read, and one of ${size} is refused.`]
    read = size
  }
  return [`>= ${read}`, `A body of ${read} bytes is read; none that is larger was sent.`]
})

/** Whether a body of so many bytes, an empty object, is judged and not refused for its size. */
async function isRead(target: Target, bytes: number): Promise<boolean> {
  try {
    const { status } = await target.submit('{}'.padEnd(bytes), json)
    return status !== 413
  } catch {
    // A server that reads no further may cut the connection.
    return false
  }
}
