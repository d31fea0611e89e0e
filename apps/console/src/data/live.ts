import { type Query, type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type FollowOptions, followEvents, type StreamState, touchedBy } from './follow-events.ts'
import { sandbox, wantsAdminToken } from './sandbox.ts'

/** The time to collect events before the affected queries are refetched, in milliseconds. */
const gatherMs = 250

/** The least time between two fetches of a query that costs more than others, in milliseconds, by its name. */
const restMs: Readonly<Record<string, number>> = { activity: 2_000 }

/** The time that a hidden page keeps its stream, in milliseconds. The sandbox keeps newer events for a minute. */
const hiddenMs = 60_000

/** The query key of everything about a tenant. */
export const tenantKey = (tenant: string) => ['tenant', tenant] as const

/** The query key of something live, such as the list of leads. {@link useLive} keeps it up to date. */
export const liveKey = (tenant: string, ...name: readonly unknown[]) => [...tenantKey(tenant), 'live', ...name] as const

/** Marks the queries of a list, which starts over when its tenant is restored. */
export const listMeta = { isList: true }

/**
 * Keeps everything live about a tenant up to date through its event stream. Views only use queries with a
 * {@link liveKey}.
 */
export function useLive(tenant: string): StreamState {
  const client = useQueryClient()
  const [state, setState] = useState<StreamState>('connecting')
  useEffect(() => {
    const news = createNews(client, tenant)
    const stop = followWhileVisible({
      open: options => sandbox.control(tenant).events(options),
      onEvent(event, resumed) {
        news.touch(touchedBy(event, resumed))
        if (event.type === 'tenant' && event.change === 'restored')
          void client.resetQueries({ queryKey: tenantKey(tenant), predicate: ({ meta }) => meta?.isList === true })
      },
      onState(next) {
        setState(next)
        // Without the stream, everything is refetched with every attempt to connect.
        if (next === 'reconnecting') news.touch('everything')
      },
    })
    return () => {
      stop()
      news.stop()
    }
  }, [client, tenant])
  return state
}

/** Refetches affected queries, at most every {@link gatherMs}, and none while the page is hidden. */
function createNews(client: QueryClient, tenant: string) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let touched = new Set<string>()
  let isAll = false

  function flush(): void {
    timer = undefined
    if (document.hidden) return
    const isTouched = ({ queryKey }: Query) => isAll || touched.has(nameOf(queryKey))
    const resting = isAll ? new Set<string>() : restingOf(client, tenant)
    const filter = {
      queryKey: liveKey(tenant),
      predicate: (query: Query) => isTouched(query) && isCurrent(query) && !resting.has(nameOf(query.queryKey)),
    }
    // A fetch in flight may have started before the event. It finishes, and then runs once more.
    if (client.isFetching(filter) > 0) {
      gather()
      return
    }
    void client.invalidateQueries(filter)
    touched = new Set([...touched].filter(name => resting.has(name)))
    isAll = false
    if (touched.size > 0) gather()
  }
  function gather(): void {
    timer ??= setTimeout(flush, gatherMs)
  }
  const onVisible = () => {
    if (!document.hidden && (isAll || touched.size > 0)) gather()
  }
  document.addEventListener('visibilitychange', onVisible)
  return {
    touch(names: readonly string[] | 'everything'): void {
      if (names === 'everything') isAll = true
      else for (const name of names) touched.add(name)
      if (isAll || touched.size > 0) gather()
    },
    stop(): void {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisible)
    },
  }
}

/** The name of a live query. */
const nameOf = (queryKey: readonly unknown[]) => String(queryKey[3])

/** Returns the names of the queries that were fetched too recently to be fetched again. */
function restingOf(client: QueryClient, tenant: string): Set<string> {
  const isResting = ({ queryKey, state }: Query) => Date.now() - state.dataUpdatedAt < (restMs[nameOf(queryKey)] ?? 0)
  const resting = client.getQueryCache().findAll({ queryKey: liveKey(tenant), type: 'active', predicate: isResting })
  return new Set(resting.map(({ queryKey }) => nameOf(queryKey)))
}

/** Follows while the page is visible, continuing after the last event. Returns a function that stops it. */
function followWhileVisible(stream: Pick<FollowOptions, 'open' | 'onEvent' | 'onState'>): () => void {
  let lastEventId: string | undefined
  let current: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const start = () => {
    const controller = new AbortController()
    current = controller
    const { signal } = controller
    void followEvents({ ...stream, signal, lastEventId, wait, isFinal: wantsAdminToken }).then(last => {
      lastEventId = last
    })
  }
  const stop = () => {
    current?.abort()
    current = undefined
  }
  const onChange = () => {
    clearTimeout(timer)
    if (document.hidden) timer = setTimeout(stop, hiddenMs)
    else if (!current) start()
  }
  document.addEventListener('visibilitychange', onChange)
  if (!document.hidden) start()
  return () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', onChange)
    stop()
  }
}

const wait = (ms: number) => new Promise<void>(resolve => void setTimeout(resolve, ms))

/**
 * Returns true if a query may be refetched. Not one that failed without the admin token, because the form that asks for
 * the token would lose its input.
 */
const isCurrent = ({ state: { error } }: Query) => !wantsAdminToken(error)

/** Refetches a query when a tenant is created or deleted, as long as the component is mounted. */
export function useTenantNews(queryKey: readonly unknown[]): void {
  const client = useQueryClient()
  useEffect(
    () =>
      followWhileVisible({
        open: options => sandbox.events(options),
        onEvent(event, resumed) {
          if (touchedBy(event, resumed) === 'everything') void client.invalidateQueries({ queryKey })
        },
      }),
    [client, queryKey],
  )
}

/** The account of a tenant. */
export function useAccount(tenant: string) {
  return useQuery({ queryKey: liveKey(tenant, 'account'), queryFn: () => sandbox.control(tenant).show() })
}

/** A lead of a tenant, with all that belongs to it. An empty id asks for nothing. */
export function useLead(tenant: string, lead_id: string) {
  return useQuery({
    queryKey: liveKey(tenant, 'lead', lead_id),
    queryFn: () => sandbox.control(tenant).leads.show(lead_id),
    enabled: lead_id !== '',
  })
}

/** The clock of a tenant, which keeps running between two responses. */
export function useClock(tenant: string) {
  const { data, isError, dataUpdatedAt } = useQuery({
    queryKey: liveKey(tenant, 'clock'),
    queryFn: () => sandbox.control(tenant).clock.show(),
  })
  const [realNow, setRealNow] = useState(dataUpdatedAt)
  const isRunning = data?.mode === 'running'
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => setRealNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [isRunning])
  const passed = isRunning ? Math.max(0, realNow - dataUpdatedAt) : 0
  return { data: data && { ...data, now: new Date(Date.parse(data.now) + passed).toISOString() }, isError }
}

/**
 * Creates an action that changes a tenant. Everything about the tenant is refetched afterwards. `done` is the success
 * message; errors are shown automatically.
 */
export function useAction<Input = void, Result = unknown>(
  tenant: string,
  act: (input: Input) => Promise<Result>,
  done?: string,
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: act,
    meta: { done },
    onSettled: () => client.invalidateQueries({ queryKey: tenantKey(tenant) }),
  })
}
