import { expect, it, vi } from 'vitest'
import { safeListener } from './call.ts'

it('calls a listener with the event itself, and gives nothing back', () => {
  const seen: number[] = []
  expect(safeListener((event: number) => seen.push(event))(7)).toBeUndefined()
  expect(seen).toEqual([7])
})

it('ignores that a listener throws or rejects, and that there is none', () => {
  const rejected = Promise.reject(new Error('The log is full.'))
  const handled = vi.spyOn(rejected, 'then')
  expect(safeListener(() => rejected)(undefined)).toBeUndefined()
  // A rejection that nobody handles ends a process of Node.
  expect(handled).toHaveBeenCalledWith(undefined, expect.any(Function))
  const throwing = safeListener(() => {
    throw new Error('The log is full.')
  })
  for (const report of [throwing, safeListener(undefined)]) expect(() => report(undefined)).not.toThrow()
})

it('does not wait for a listener', () => {
  expect(safeListener(() => new Promise(() => {}))(undefined)).toBeUndefined()
})
