import { canonicalEvent, pixelEvents, usageEvents } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { callbackEventName } from './record-event.ts'

const pairs = pixelEvents.map((pixel, index) => [pixel, usageEvents[index] ?? ''] as const)

describe('the name of an event', () => {
  it.each(pairs)('%s and %s are one event [6.1/rule-1]', (pixel, usage) => {
    expect(canonicalEvent(usage)).toBe(canonicalEvent(pixel))
  })

  it.each(pairs)('of %s and %s goes out as the setting says [6.2/event]', (pixel, usage) => {
    for (const reported of [pixel, usage]) {
      expect(callbackEventName(reported, 'usage')).toBe(usage)
      expect(callbackEventName(reported, 'enum')).toBe(pixel)
      expect(callbackEventName(reported, 'as_reported')).toBe(reported)
    }
  })

  it.each(['converted', 'anything', '__proto__', 'constructor', 'toString'])('%s keeps its name', name => {
    expect(canonicalEvent(name)).toBe(name)
    for (const names of ['usage', 'enum', 'as_reported'] as const) expect(callbackEventName(name, names)).toBe(name)
  })
})
