import { describe, expect, it } from 'vitest'
import {
  acceptedPixelEvents,
  canonicalEvent,
  knownStatuses,
  pixelEvents,
  pixelNameOf,
  usageEvent,
  usageEvents,
  usageNameOf,
} from './events.ts'

describe('the two vocabularies of events', () => {
  it.each([
    ['registration', 'registration'],
    ['approved', 'loan_issued'],
    ['rejected', 'loan_rejected'],
    ['completed', 'loan_paid'],
    ['defaulted', 'loan_defaulted'],
  ] as const)('%s and %s are one event', (pixel, usage) => {
    expect([canonicalEvent(pixel), canonicalEvent(usage)]).toEqual([pixel, pixel])
    expect([usageEvent(pixel), usageEvent(usage)]).toEqual([usage, usage])
    expect([usageNameOf[pixel], pixelNameOf[usage]]).toEqual([usage, pixel])
  })

  it('hold five names each, and share one', () => {
    expect([pixelEvents.length, usageEvents.length, acceptedPixelEvents.length]).toEqual([5, 5, 9])
  })

  it('keep converted apart from the pixel events: only the body form knows it', () => {
    expect(canonicalEvent('converted')).toBe('converted')
    expect(knownStatuses).toContain('converted')
    expect(acceptedPixelEvents).not.toContain('converted')
  })

  it.each(['constructor', '__proto__', 'toString', '', 'LOAN_ISSUED'])('leave the unknown name %j unchanged', name => {
    expect([canonicalEvent(name), usageEvent(name)]).toEqual([name, name])
  })
})
