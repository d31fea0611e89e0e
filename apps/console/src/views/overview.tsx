import { leadStatuses } from '@lead-distribution/contract'
import type { TenantControl } from '@lead-distribution/control-client'
import { keepPreviousData } from '@tanstack/react-query'
import { Suspense } from 'react'
import { formatMs, formatTime, formatWord, operationLabels } from '../data/format.ts'
import { useClock, useRead } from '../data/live.ts'
import { useSearchState } from '../data/search-state.ts'
import { type Bar, BarList, BarTable, Legend, TimeChart } from '../ui/chart.tsx'
import { Card, ErrorNote, PageHeader, type Tone } from '../ui/elements.tsx'
import { Segments } from '../ui/forms.tsx'
import { lazyView } from '../ui/lazy-view.ts'
import { Loop } from './loop.tsx'
import './overview.css'

/** Loaded only for an empty tenant, with the test leads. */
const FirstSteps = lazyView(async () => (await import('./first-steps.tsx')).FirstSteps)

type Activity = Awaited<ReturnType<TenantControl['activity']>>

const periods = {
  hour: { label: 'Last hour', name: 'last hour', per: 'per minute', spanMs: 60_000 },
  day: { label: 'Last day', name: 'last day', per: 'per 30 minutes', spanMs: 1_800_000 },
} as const

type Period = keyof typeof periods

const periodOptions = Object.entries(periods).map(([value, { label }]) => ({ value: value as Period, label }))

/** The front page of a tenant: its last hour or day in charts, or how to begin. */
export function Overview() {
  const [{ period: chosen }, set] = useSearchState({ period: ['day'] })
  const period = chosen || 'hour'
  const { data: activity, error } = useActivity(period)
  const newest = useRead(
    ['leads', 'newest'],
    async control => (await control.submissions.list({ limit: 1 })).submissions[0] ?? null,
  )
  const isEmpty = newest.data === null && activity?.requests.operations.length === 0
  return (
    <>
      <PageHeader
        title="Overview"
        about={
          isEmpty
            ? 'Nothing has happened in this tenant yet. A lead goes from the publisher through the service to an advertiser, and the events that it reports come back as callbacks.'
            : 'What happened in this tenant, on its own clock. Select a bar to open what it counts.'
        }
      >
        {!isEmpty && (
          <Segments
            label="Period"
            value={period}
            options={periodOptions}
            onChange={value => set({ period: value === 'hour' ? '' : value })}
          />
        )}
      </PageHeader>
      <ErrorNote error={error ?? newest.error} />
      {activity && newest.data !== undefined && (
        <Loop activity={activity} period={periods[period].name} newest={newest.data} />
      )}
      {isEmpty ? (
        <Suspense fallback={null}>
          <FirstSteps />
        </Suspense>
      ) : (
        activity && newest.data !== undefined && <Charts period={period} activity={activity} />
      )}
    </>
  )
}

/** Refetches the activity after an event and, while the clock runs, once per time span. */
function useActivity(period: Period) {
  const clock = useClock()
  return useRead(['activity', period], control => control.activity({ period }), {
    placeholderData: keepPreviousData,
    refetchInterval: clock.mode === 'running' && periods[period].spanMs,
  })
}

function Charts({ period, activity }: { period: Period; activity: Activity }) {
  const { submissions, requests } = activity
  return (
    <>
      <SubmissionChart period={period} activity={activity} />
      <div className="charts tiles">
        <Card title="Rejection reasons" flush>
          <BarList label="Rejection reasons" bars={reasonBars(activity)} />
          {submissions.reasons.length === 0 && <NothingYet what="No submission was rejected" period={period} />}
        </Card>
        <Card title="Duration of requests" flush>
          <BarList label="Duration of requests" bars={durationBars(activity)} />
          {requests.operations.length === 0 && <NothingYet what="The service got no request" period={period} />}
          <Since at={requests.since} />
        </Card>
      </div>
    </>
  )
}

const statusTones = { distributed: 'good', new: 'info', rejected: 'bad' } as const satisfies Record<string, Tone>

/** The outcomes, in the order of a bar's parts. */
const outcomes = (['distributed', 'new', 'rejected'] as const).filter(status => leadStatuses.includes(status))

function SubmissionChart({ period, activity }: { period: Period; activity: Activity }) {
  const { from, to, submissions } = activity
  const bars = busyBars(submissionBars(activity))
  const total = (status: (typeof outcomes)[number]) => submissions.spans.reduce((sum, span) => sum + span[status], 0)
  const { name, per } = periods[period]
  return (
    <Card title={`Submissions ${per}`}>
      <Legend
        items={outcomes.map(status => ({
          key: status,
          label: formatWord(status),
          text: total(status).toLocaleString('en-GB'),
          to: leadsPath({ status, from, to }),
          tone: statusTones[status],
        }))}
      />
      <TimeChart label={`Submissions ${per}`} bars={bars} ticks={ticksOf(bars)} />
      {bars.some(({ parts }) => parts.length > 0) ? (
        <BarTable header="Time (UTC)" bars={bars} />
      ) : (
        <p className="muted">No submissions in the {name}.</p>
      )}
      {submissions.since && (
        <p className="body muted">
          Everything since {formatTime(submissions.since)} is counted. Of what is older, some is missing.
        </p>
      )}
    </Card>
  )
}

function leadsPath(filter: Record<string, string>): string {
  return `../leads?${new URLSearchParams(filter)}`
}

function submissionBars({ to, submissions }: Activity): Bar[] {
  return submissions.spans.map((span, place) => {
    const present = outcomes.filter(status => span[status] > 0)
    return {
      key: span.at,
      label: clockTime(span.at),
      text: present.map(status => `${span[status]} ${status}`).join(', '),
      to: leadsPath({ from: span.at, to: submissions.spans[place + 1]?.at ?? to }),
      parts: present.map(status => ({ tone: statusTones[status], value: span[status] })),
    }
  })
}

/** The minimum number of bars, so that a chart of few leads isn't a block of color. */
const minBars = 12

/** Returns the bars from the first to the last with a value, padded to the minimum. */
function busyBars(bars: readonly Bar[]): readonly Bar[] {
  const isBusy = ({ parts }: Bar) => parts.length > 0
  const [first, last] = [bars.findIndex(isBusy), bars.findLastIndex(isBusy)]
  if (first < 0) return bars
  const around = Math.max(2, minBars - (last - first + 1))
  const from = Math.max(0, Math.min(first - Math.ceil(around / 2), bars.length - minBars))
  return bars.slice(from, Math.max(from + minBars, last + 2))
}

/** Returns a few times for a chart's axis. */
function ticksOf(bars: readonly Bar[]): string[] {
  return [0, 0.25, 0.5, 0.75, 1].flatMap(share => bars[Math.round(share * (bars.length - 1))]?.label ?? [])
}

/** Returns the time of day: `14:03`. */
const clockTime = (iso: string) => iso.slice(11, 16)

function reasonBars({ from, to, submissions }: Activity): Bar[] {
  return submissions.reasons.map(({ reason, count }) => ({
    key: reason,
    label: formatWord(reason),
    text: String(count),
    to: leadsPath({ status: 'rejected', reason, from, to }),
    parts: [{ tone: 'bad', value: count }],
  }))
}

function durationBars({ requests }: Activity): Bar[] {
  return requests.operations.map(({ operation, count, p50_ms, p99_ms }) => ({
    key: operation,
    label: `${operationLabels[operation]} (${count})`,
    text: `p50 ${formatMs(p50_ms)}, p99 ${formatMs(p99_ms)}`,
    to: `../requests?operation=${operation}`,
    parts: [
      { tone: 'info', value: p50_ms },
      { tone: 'plain', value: p99_ms - p50_ms },
    ],
  }))
}

function NothingYet({ what, period }: { readonly what: string; readonly period: Period }) {
  return (
    <p className="body muted">
      {what} in the {periods[period].name}.
    </p>
  )
}

/** Says that only the newest entries are counted, if there are more in the period. */
function Since({ at }: { readonly at: string | undefined }) {
  return at === undefined ? null : <p className="body muted">Only what is newer than {formatTime(at)} is counted.</p>
}
