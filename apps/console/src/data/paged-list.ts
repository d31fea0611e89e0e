import type { TenantControl } from '@lead-distribution/control-client'
import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { listMeta, liveKey, tenantKey, useRead, useTenant } from './live.ts'
import { sandbox } from './sandbox.ts'
import { beginList, followList, type Page, type Shown } from './shown-list.ts'

/** Sizes of the first page, which should appear soon, and of the pages that are loaded on scrolling. */
const [firstSize, pageSize] = [50, 200]

/** The number of older entries that are kept. Beyond it, a new page replaces the one at the other end. */
const maxKept = 2_000

type Read<Entry> = (control: TenantControl, page: { limit: number; before?: string }) => Promise<Page<Entry>>

type Kept<Entry> = InfiniteData<Page<Entry>, Place>

/** The start of a page of older entries: the number of entries before it, the id of the last one, and the previous page. */
interface Place {
  readonly offset: number
  readonly before: string
  readonly previous?: Place
}

/** Finds the page with an older entry, at `last` or before. */
function placeOf(index: number, last: Place): Place {
  let place = last
  while (place.previous && place.offset > index) place = place.previous
  return place
}

/** The list that a view currently shows, and how to read it. */
interface Begun<Entry> extends Shown<Entry> {
  readonly list: string
  readonly read: Read<Entry>
  /** Incremented each time the list starts over. */
  readonly times: number
}

/** The loaded part of a list, and how to load more. */
export interface PagedList<Entry> {
  /** Changes when the list starts over at its newest entry. */
  readonly key: number
  readonly idOf: (entry: Entry) => string
  readonly entries: readonly Entry[]
  /** The position and length of the gap left by dropped entries, which are loaded again on scrolling. */
  readonly gap: { readonly after: number; readonly size: number }
  readonly error: unknown
  /** True if there are older entries than the loaded ones. */
  readonly hasMore: boolean
  readonly loadMore: () => void
  /** Loads the page with a row before the loaded ones again. If it is far away, all other older pages are dropped. */
  readonly loadPrevious: (row: number) => void
  /** True if nothing was found yet and the search continues in older entries. */
  readonly isSearching: boolean
  /** True if the list was loaded and has no entries. */
  readonly isEmpty: boolean
  /** Tells the list that the reader has left its top. Nothing moves then, and new entries are counted. */
  readonly hold: (isHeld: boolean) => void
  /** The new entries that are not shown; undefined if there are none. */
  readonly news: { readonly count: string; readonly show: () => void } | undefined
}

/**
 * Reads a list of the control plane page by page, newest first. Its first page is always live: new entries appear at the
 * top, or are counted while the reader is further down. Older pages are loaded on scrolling.
 */
export function usePagedList<Entry>(
  name: readonly unknown[],
  idOf: (entry: Entry) => string,
  read: Read<Entry>,
): PagedList<Entry> {
  const tenant = useTenant()
  const queryKey = liveKey(tenant, ...name)
  const list = JSON.stringify(queryKey)
  const [begun, setBegun] = useState<Begun<Entry>>()
  const { data, error, isPlaceholderData } = useRead(name, control => read(control, { limit: firstSize }), {
    placeholderData: keepPreviousData,
    meta: listMeta,
  })
  const begin = (newest: Page<Entry>) => setBegun({ ...beginList(newest), list, read, times: (begun?.times ?? 0) + 1 })
  if (data && !isPlaceholderData && begun?.list !== list) begin(data)
  else if (begun && data && !isPlaceholderData && begun.newest !== data)
    setBegun({ ...begun, ...followList(begun, data, idOf) })
  // The tenant was restored, so the list starts over.
  else if (begun?.list === list && isPlaceholderData) setBegun({ ...begun, list: '' })

  const older = useOlderPages(tenant, begun)
  const { loadMore } = older
  const entries = useMemo(() => [...(begun?.entries ?? []), ...older.entries], [begun?.entries, older.entries])
  // A search that found nothing yet has no row that would trigger loading more.
  const isSearching = entries.length === 0 && older.hasMore
  useEffect(() => {
    if (isSearching) loadMore()
  }, [isSearching, loadMore])
  const hold = useCallback(
    (isHeld: boolean) =>
      setBegun(before => {
        if (!before || before.isHeld === isHeld) return before
        return { ...before, ...followList({ ...before, isHeld }, before.newest, idOf) }
      }),
    [idOf],
  )
  return {
    key: begun?.times ?? 0,
    idOf,
    entries,
    gap: { after: begun?.entries.length ?? 0, size: older.offset },
    error: error ?? older.error,
    hasMore: older.hasMore,
    loadMore,
    loadPrevious: row => older.loadPrevious(row - (begun?.entries.length ?? 0)),
    isSearching,
    isEmpty: begun !== undefined && entries.length === 0 && !older.hasMore,
    hold,
    news: begun?.news
      ? { count: `${begun.news}${begun.isMoreNews ? '+' : ''} new`, show: () => begin(begun.newest) }
      : undefined,
  }
}

/** Loads entries older than the first page on demand. */
function useOlderPages<Entry>(tenant: string, begun: Begun<Entry> | undefined) {
  const client = useQueryClient()
  const from = begun?.next
  const [wanted, setWanted] = useState<string>()
  const isWanted = from !== undefined && wanted === from
  const queryKey = [...tenantKey(tenant), 'older', begun?.list, from]
  const readAt = async ({ before }: Place): Promise<Page<Entry>> =>
    begun ? begun.read(sandbox.control(tenant), { limit: pageSize, before }) : { entries: [] }
  const kept = client.getQueryData<Kept<Entry>>(queryKey)?.pages ?? []
  const isFull = kept.reduce((sum, page) => sum + page.entries.length, 0) > maxKept
  const { data, error, isFetching, hasNextPage, fetchNextPage, fetchPreviousPage } = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => readAt(pageParam),
    enabled: isWanted,
    initialPageParam: { offset: 0, before: from ?? '' } as Place,
    getNextPageParam: ({ entries, next }, _pages, place) =>
      next === undefined ? undefined : { offset: place.offset + entries.length, before: next, previous: place },
    getPreviousPageParam: (_page, _pages, { previous }) => previous,
    // Counts entries, not pages, because a search may have many empty pages.
    ...(isFull && { maxPages: kept.length }),
    // A list that starts over has different pages. The old ones would fill the memory.
    gcTime: 0,
    // When a page is dropped at one end, each of the others would be compared with its neighbor, lead by lead.
    structuralSharing: false,
    meta: listMeta,
  })
  const entries = useMemo(() => data?.pages.flatMap(page => page.entries) ?? [], [data])
  const hasMore = data ? hasNextPage : from !== undefined
  const loadMore = useCallback(() => {
    if (!hasMore) return
    if (!isWanted) setWanted(from)
    else if (!isFetching) void fetchNextPage()
  }, [hasMore, isWanted, from, isFetching, fetchNextPage])
  const jump = useMutation({
    mutationFn: async (to: Place) =>
      client.setQueryData<Kept<Entry>>(queryKey, { pages: [await readAt(to)], pageParams: [to] }),
  })
  const first = (data as Kept<Entry> | undefined)?.pageParams[0]
  const loadPrevious = (index: number) => {
    // A failure is shown once and not retried for every row that is drawn.
    if (!first?.previous || isFetching || jump.isPending || jump.isError) return
    const place = placeOf(index, first.previous)
    if (place === first.previous) void fetchPreviousPage()
    else jump.mutate(place)
  }
  return { entries, offset: first?.offset ?? 0, error, hasMore, loadMore, loadPrevious }
}
