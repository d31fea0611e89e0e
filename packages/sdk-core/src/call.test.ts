import { expect, it, vi } from 'vitest'
import { safeListener } from './call.ts'

it('calls a listener with the event, and returns nothing', () => {
  const seen: number[] = []
  expect(safeListener((event: number) => seen.push(event))(7)).toBeUndefined()
  expect(seen).toEqual([7])
})

it('ignores errors and rejections of a listener, and a missing one', () => {
  const rejected = Promise.reject(new Error('The log is full.'))
  const handled = vi.spyOn(rejected, 'then')
  expect(safeListener(() => rejected)(undefined)).toBeUndefined()
  // An unhandled rejection terminates a Node process.
  expect(handled).toHaveBeenCalledWith(undefined, expect.any(Function))
  const throwing = safeListener(() => {
    throw new Error('The log is full.')
  })
  for (const report of [throwing, safeListener(undefined)]) expect(() => report(undefined)).not.toThrow()
})

it('does not wait for a listener', () => {
  expect(safeListener(() => new Promise(() => {}))(undefined)).toBeUndefined()
})
