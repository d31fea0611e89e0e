import type { Account, TenantControl } from '@lead-distribution/control-client'
import {
  type Query,
  type QueryClient,
  type UseQueryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useParams } from 'react-router'
import type { JournalEntry, LeadContext } from './entries.ts'
import { everything, type FollowOptions, followEvents, type StreamState, touchedBy } from './follow-events.ts'
import { isRefused, requiresToken, sandbox } from './sandbox.ts'

/** The time to collect events before the affected queries are refetched, in milliseconds. */
const gatherMs = 250

/** The minimum time between fetches of expensive queries, in milliseconds by query name. */
const restMs: Readonly<Record<string, number>> = { activity: 2_000 }

/** The time until a hidden page closes its stream, in milliseconds. The sandbox buffers events for a minute. */
const hiddenMs = 60_000

/** The query key of everything about a tenant. */
export const tenantKey = (tenant: string) => ['tenant', tenant] as const

/** The query key of something live, such as the list of leads. {@link useLive} keeps it up to date. */
export const liveKey = (tenant: string, ...name: readonly unknown[]) => [...tenantKey(tenant), 'live', ...name] as const

/** The query key of the pages of a list, which starts over when its tenant is restored. */
export const listKey = (tenant: string, ...name: readonly unknown[]) => ['list', tenant, ...name] as const

/**
 * Keeps everything live about a tenant up to date through its event stream. Views only use queries with a
 * {@link liveKey}.
 */
export function useLive(tenant: string): StreamState {
  const client = useQueryClient()
  const [state, setState] = useState<StreamState>('connecting')
  useEffect(() => {
    const affected = refetchAffected(client, tenant)
    let isDeleted = false
    const stop = followWhileVisible({
      open: options => sandbox.control(tenant).events(options),
      onEvent(event, resumed) {
        affected.add(touchedBy(event, resumed))
        isDeleted = event.type === 'tenant' && event.change === 'deleted'
        if (event.type === 'tenant' && event.change === 'restored')
          void client.resetQueries({ queryKey: listKey(tenant) })
      },
      onState(next) {
        setState(next)
        // Without a stream, everything is refetched on every attempt to connect.
        if (next === 'reconnecting' && !isDeleted) affected.add([everything])
        // The account's query shows the reason: the tenant was deleted, or the token is no longer valid.
        if (next === 'refused') affected.add(['account'])
      },
    })
    return () => {
      stop()
      affected.stop()
    }
  }, [client, tenant])
  return state
}

/** Refetches affected queries, at most every {@link gatherMs}, and none while the page is hidden. */
function refetchAffected(client: QueryClient, tenant: string) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let touched = new Set<string>()

  function flush(): void {
    timer = undefined
    if (document.hidden) return
    const isAll = touched.has(everything)
    const isTouched = ({ queryKey }: Query) => isAll || touched.has(nameOf(queryKey))
    const resting = isAll ? new Set<string>() : restingOf(client, tenant)
    const filter = {
      queryKey: liveKey(tenant),
      predicate: (query: Query) => isTouched(query) && isCurrent(query) && !resting.has(nameOf(query.queryKey)),
    }
    // A fetch in flight may have started before the event. It finishes, then runs again.
    if (client.isFetching(filter) > 0) {
      gather()
      return
    }
    void client.invalidateQueries(filter)
    touched = new Set([...touched].filter(name => resting.has(name)))
    if (touched.size > 0) gather()
  }
  function gather(): void {
    timer ??= setTimeout(flush, gatherMs)
  }
  const onVisible = () => {
    if (!document.hidden && touched.size > 0) gather()
  }
  document.addEventListener('visibilitychange', onVisible)
  return {
    add(names: readonly string[]): void {
      for (const name of names) touched.add(name)
      if (touched.size > 0) gather()
    },
    stop(): void {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisible)
    },
  }
}

/** The name of a live query. */
const nameOf = (queryKey: readonly unknown[]) => String(queryKey[3])

/** Returns the names of queries fetched too recently to refetch. */
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
    void followEvents({ ...stream, signal, lastEventId, wait, isFinal: isRefused }).then(last => {
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
 * Returns true if a query may be refetched. Excludes those that failed without a token, because the sign-in form would
 * lose its input.
 */
const isCurrent = ({ state: { error } }: Query) => !requiresToken(error)

/** The query key of the list of tenants. */
export const tenantsKey = ['tenants'] as const

/** The tenants that the token opens. */
export const useTenants = () => useQuery({ queryKey: tenantsKey, queryFn: () => sandbox.listTenants() })

/** Refetches the tenants when one is created or deleted, as long as the component is mounted. */
export function useTenantNews(): void {
  const client = useQueryClient()
  useEffect(
    () =>
      followWhileVisible({
        open: options => sandbox.events(options),
        onEvent(event, resumed) {
          if (event.type === 'tenant' || touchedBy(event, resumed).includes(everything))
            void client.invalidateQueries({ queryKey: tenantsKey })
        },
      }),
    [client],
  )
}

/** The name of the tenant that the page shows. */
export function useTenant(): string {
  return useParams().tenant ?? ''
}

// The page's frame always uses these, so parts of a view don't refetch them when they appear.
const staleTime = Number.POSITIVE_INFINITY

/** The caller whose token this browser is signed in with. */
export const useSession = () => useQuery({ queryKey: ['session'], queryFn: () => sandbox.session.show(), staleTime })

/** Returns why this browser can't change anything; undefined if it can. */
export function useReadOnly(): string | undefined {
  return useSession().data?.role === 'read' ? 'Your token is read-only: ask for one that can write.' : undefined
}

/** Reads something about the tenant under a {@link liveKey}, so that it stays up to date. */
export function useRead<Data>(
  name: readonly unknown[],
  read: (control: TenantControl) => Promise<Data>,
  options?: Omit<UseQueryOptions<Data>, 'queryKey' | 'queryFn'>,
) {
  const tenant = useTenant()
  return useQuery({
    ...options,
    queryKey: liveKey(tenant, ...name),
    queryFn: () => read(sandbox.control(tenant)),
  })
}

/** The account of the tenant, as the frame reads it. */
export const useAccountQuery = () => useRead(['account'], control => control.show(), { staleTime })

const useClockQuery = () => useRead(['clock'], control => control.clock.show(), { staleTime })

/** Reads the account and the clock for the frame, which shows a view once it has both. */
export function useTenantQuery() {
  const account = useAccountQuery()
  const clock = useClockQuery()
  return { isRead: account.data !== undefined && clock.data !== undefined, error: account.error ?? clock.error }
}

function ensureRead<Data>(data: Data | undefined): Data {
  if (data === undefined) throw new Error('The page shows a view before it has read the tenant.')
  return data
}

/** The account of the tenant. For views only: the frame has read it by then. */
export const useAccount = (): Account => ensureRead(useAccountQuery().data)

/** The faults of the tenant, in matching order. */
export const useFaults = () => useRead(['faults'], control => control.faults.list(), { staleTime })

/** The faults that may still act. */
export const useActiveFaults = () => useFaults().data?.faults.filter(({ state }) => state !== 'used_up') ?? []

/** A lead with its related records. An empty id sends no request. */
export const useLead = (lead_id: string) =>
  useRead(['lead', lead_id], control => control.leads.show(lead_id), { enabled: lead_id !== '' })

/** A request to the service. `known` is shown until it is read. */
export const useJournalEntry = (request_id: string, known?: JournalEntry) =>
  useRead(['request', request_id], control => control.requests.show(request_id), { placeholderData: () => known })

/** Returns a tenant's time from its clock's last response and the time of that response. */
function tenantTime(clock: { mode: string; now: string }, readAt: number, now: number): Date {
  const passed = clock.mode === 'running' ? Math.max(0, now - readAt) : 0
  return new Date(Date.parse(clock.now) + passed)
}

/** The real time, updated once a second while a running clock is shown. */
let realNow = 0
let ticking: ReturnType<typeof setInterval> | undefined
const clocks = new Set<() => void>()

function tick(onTick: () => void): () => void {
  clocks.add(onTick)
  ticking ??= setInterval(() => {
    realNow = Date.now()
    for (const each of clocks) each()
  }, 1_000)
  return () => {
    clocks.delete(onTick)
    if (clocks.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }
}

const dontTick = () => () => undefined

/** The tenant's clock, which keeps running between responses. Its data is undefined until the frame has read it. */
export function useClockIfRead() {
  const { data, isError, dataUpdatedAt } = useClockQuery()
  const now = useSyncExternalStore(data?.mode === 'running' ? tick : dontTick, () => realNow)
  return { data: data && { ...data, now: tenantTime(data, dataUpdatedAt, now).toISOString() }, isError }
}

/** The tenant's clock. For views only, like {@link useAccount}. */
export const useClock = () => ensureRead(useClockIfRead().data)

/** The tenant's account and time for a test lead. */
export function useLeadContext(): LeadContext {
  const account = useAccount()
  const { data, dataUpdatedAt } = useClockQuery()
  const clock = ensureRead(data)
  return {
    account,
    get today() {
      return tenantTime(clock, dataUpdatedAt, Date.now())
    },
  }
}

/** A change of the tenant. */
export type Act<Input = void, Result = unknown> = (control: TenantControl, input: Input) => Promise<Result>

/**
 * Creates an action that changes the tenant. Everything about the tenant is refetched afterwards. `done` is the success
 * message; errors are shown automatically. `button` disables its button while it runs, and if the token is read-only.
 */
export function useAction<Input = void, Result = unknown>(act: Act<Input, Result>, done?: string) {
  const client = useQueryClient()
  const tenant = useTenant()
  const readOnly = useReadOnly()
  const mutation = useMutation({
    mutationFn: (input: Input) => act(sandbox.control(tenant), input),
    meta: { done },
    onSettled: () => client.invalidateQueries({ queryKey: tenantKey(tenant) }),
  })
  return { ...mutation, button: { disabled: mutation.isPending || readOnly !== undefined, title: readOnly } }
}
