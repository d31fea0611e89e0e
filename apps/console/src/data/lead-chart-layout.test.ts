import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChartStep } from './lead-chart.ts'
import { burstsOf, layOut, type Panel } from './lead-chart-layout.ts'

const day = 86_400_000
const widthOf = (text: string) => text.length * 7

function step(at: number, ms = 0, lane: ChartStep['lane'] = 'receiver', label = 'loan_issued'): ChartStep {
  return { key: `${at} ${ms} ${lane}`, lane, at, ms, tone: 'info', label, note: '503 · 12 ms' }
}

/** A decision of 8 ms, and a callback that is retried after an hour and after 30 days. */
const story = [
  step(1_000, 8, 'publisher'),
  step(1_006, 0, 'service'),
  step(1_040, 12),
  step(3_601_000, 12),
  step(30 * day, 0),
]

describe('bursts', () => {
  it('group steps within milliseconds, and break at an hour and at a month', () => {
    expect(burstsOf(story).map(({ from, to, steps }) => [from, to, steps.length])).toEqual([
      [1_000, 1_052, 3],
      [3_601_000, 3_601_012, 1],
      [30 * day, 30 * day, 1],
    ])
  })

  it.each([
    [80, 1],
    [81, 2],
  ])('with a pause of %i ms between two moments number %i', (ms, count) => {
    expect(burstsOf([step(0), step(ms)])).toHaveLength(count)
  })

  it('allow a pause eight times as long as the shorter of the steps around it', () => {
    expect(burstsOf([step(0, 1_000), step(9_000, 1_000)])).toHaveLength(1)
    expect(burstsOf([step(0, 1_000), step(9_001, 1_000)])).toHaveLength(2)
    expect(burstsOf([step(0, 8), step(9_000, 10_000)])).toHaveLength(2)
  })

  it('contain every step once, in order, and do not overlap', () => {
    const steps = fc.array(fc.record({ at: fc.nat(10_000), ms: fc.nat(500) }), { minLength: 1 })
    fc.assert(
      fc.property(steps, given => {
        const bursts = burstsOf(given.map(({ at, ms }) => step(at, ms)))
        expect(bursts.flatMap(({ steps }) => steps.map(({ at }) => at))).toEqual(
          given.map(({ at }) => at).toSorted((one, other) => one - other),
        )
        for (const [place, { from }] of bursts.slice(1).entries()) expect(from).toBeGreaterThan(bursts[place]?.to ?? 0)
      }),
    )
  })
})

describe('the layout of a chart', () => {
  const barOf = (panel: Panel | undefined, place: number) => panel?.steps[place] ?? expect.fail('There is no step.')

  it('draws the steps of a burst to scale, with ticks that fit it', () => {
    const [panel] = layOut(story.slice(0, 3), 900, widthOf).lines[0]?.panels ?? []
    const [submitted, decided, called] = [0, 1, 2].map(place => barOf(panel, place))
    const perMs = (submitted?.width ?? 0) / 8
    expect(called?.width).toBeCloseTo(12 * perMs)
    expect((called?.x ?? 0) - (submitted?.x ?? 0)).toBeCloseTo(40 * perMs)
    // A moment is drawn as a mark around its time.
    expect((decided?.x ?? 0) + 5 - (submitted?.x ?? 0)).toBeCloseTo(6 * perMs)
    expect(panel?.ticks.map(({ label }) => label)).toEqual(['+10 ms', '+20 ms', '+30 ms', '+40 ms', '+50 ms'])
    expect((panel?.ticks[3]?.x ?? 0) - (called?.x ?? 0)).toBeCloseTo(0)
  })

  it('shows the length of a pause between panels on a wide page, and between lines on a phone', () => {
    const wide = layOut(story, 1_200, widthOf)
    expect(wide.lines.map(({ breaks }) => breaks.map(({ label }) => label))).toEqual([['1 h', '29 d 22 h']])
    const narrow = layOut(story, 330, widthOf)
    expect(narrow.lines.map(({ after }) => after)).toEqual([undefined, '1 h', '29 d 22 h'])
    // A line after the first one shows only the lanes that it uses.
    expect(narrow.lines.map(({ lanes }) => lanes.length)).toEqual([4, 1, 1])
  })

  it('stays within its width for any label, and no two steps of a lane overlap', () => {
    const lane = fc.constantFrom<ChartStep['lane']>('publisher', 'service', 'advertiser', 'receiver')
    const label = fc.oneof(fc.constant('loan_issued'), fc.string({ maxLength: 80 }))
    const at = fc.oneof(fc.nat(100), fc.nat(10_000_000))
    const steps = fc.array(fc.record({ at, ms: fc.nat(300), lane, label }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(steps, fc.integer({ min: 280, max: 1_400 }), (given, width) => {
        const { lines, height } = layOut(
          given.map(({ at, ms, lane, label }) => step(at, ms, lane, label)),
          width,
          widthOf,
        )
        const panels = lines.flatMap(line => line.panels)
        expect(panels.flatMap(panel => panel.steps)).toHaveLength(given.length)
        for (const panel of panels) {
          expect(panel.x + panel.width).toBeLessThanOrEqual(width + 0.01)
          const rows = new Map<number, number>()
          for (const { x, y, width: bar, label, note } of panel.steps) {
            const end = x + bar + 7 + widthOf(`${label} ${note}`)
            expect(x).toBeGreaterThanOrEqual(rows.get(y) ?? panel.x)
            expect(end).toBeLessThanOrEqual(panel.x + panel.width)
            expect(y).toBeLessThan(height)
            rows.set(y, end)
          }
        }
      }),
    )
  })
})
