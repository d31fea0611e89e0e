import { type InfiniteData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { listMeta, liveKey, tenantKey } from './live.ts'
import { beginList, followList, type Page, type Shown } from './shown-list.ts'

/** How many entries are read first, to be shown soon, and how many at once by whoever scrolls on. */
const [firstSize, pageSize] = [50, 200]

/** How many older entries of a list are kept: with more, a page that is read takes the place of the one at the other end. */
const mostKept = 2_000

type Read<Entry> = (page: { limit: number; before?: string }) => Promise<Page<Entry>>

type Kept<Entry> = InfiniteData<Page<Entry>, Place>

/** The start of a page of older entries: how many entries come before it, the id of the last of them, and the page before it. */
interface Place {
  readonly offset: number
  readonly before: string
  readonly previous?: Place
}

/** The place of the page that has an older entry, or of the one behind which it is: `last` or one before it. */
function placeOf(index: number, last: Place): Place {
  let place = last
  while (place.previous && place.offset > index) place = place.previous
  return place
}

/** A list that a view begins to show: which one, and what reads it. */
interface Begun<Entry> extends Shown<Entry> {
  readonly list: string
  readonly read: Read<Entry>
  /** Another one each time that the list begins. */
  readonly times: number
}

/** The part of a list that is kept, and what reads on. */
export interface PagedList<Entry> {
  /** Another one where the list begins at its newest entry again. */
  readonly key: number
  readonly idOf: (entry: Entry) => string
  readonly entries: readonly Entry[]
  /** The gap left by entries that were dropped and are read again on scrolling: its position and its length. */
  readonly gap: { readonly after: number; readonly size: number }
  readonly error: unknown
  /** Whether there are older entries than those that were read. */
  readonly hasMore: boolean
  readonly loadMore: () => void
  /** Reads the page again that has a row before the kept ones; where that is far away, no other older page is kept. */
  readonly loadPrevious: (row: number) => void
  /** Whether nothing was found yet and older entries are still looked at. */
  readonly isSearching: boolean
  /** Whether the list was read and holds nothing. */
  readonly isEmpty: boolean
  /** Says whether the reader has left the top of the list: nothing moves then, and what is new is counted. */
  readonly hold: (isHeld: boolean) => void
  /** The new entries that are not shown; undefined if there are none. */
  readonly news: { readonly count: string; readonly show: () => void } | undefined
}

/**
 * A list of the control plane, newest first, page by page. Its first page is live, always: what is new shows at the top,
 * or is counted while the reader is elsewhere. Older pages are read when they are scrolled to.
 */
export function usePagedList<Entry>(
  tenant: string,
  name: readonly unknown[],
  idOf: (entry: Entry) => string,
  read: Read<Entry>,
): PagedList<Entry> {
  const queryKey = liveKey(tenant, ...name)
  const list = JSON.stringify(queryKey)
  const [begun, setBegun] = useState<Begun<Entry>>()
  const { data, error, isPlaceholderData } = useQuery({
    queryKey,
    queryFn: () => read({ limit: firstSize }),
    placeholderData: previous => previous,
    meta: listMeta,
  })
  const begin = (newest: Page<Entry>) => setBegun({ ...beginList(newest), list, read, times: (begun?.times ?? 0) + 1 })
  if (data && !isPlaceholderData && begun?.list !== list) begin(data)
  else if (begun && data && !isPlaceholderData && begun.newest !== data)
    setBegun({ ...begun, ...followList(begun, data, idOf) })
  // The tenant was restored: the list is read as if it had never been.
  else if (begun?.list === list && isPlaceholderData) setBegun({ ...begun, list: '' })

  const older = useOlderPages(tenant, begun)
  const { loadMore } = older
  const entries = useMemo(() => [...(begun?.entries ?? []), ...older.entries], [begun?.entries, older.entries])
  // A search that found nothing yet has no row whose sight would ask for more.
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

/** The entries that are older than those that a list begins with, read page by page on demand. */
function useOlderPages<Entry>(tenant: string, begun: Begun<Entry> | undefined) {
  const client = useQueryClient()
  const from = begun?.next
  const [wanted, setWanted] = useState<string>()
  const isWanted = from !== undefined && wanted === from
  const queryKey = [...tenantKey(tenant), 'older', begun?.list, from]
  const readAt = async ({ before }: Place): Promise<Page<Entry>> =>
    begun ? begun.read({ limit: pageSize, before }) : { entries: [] }
  const kept = client.getQueryData<Kept<Entry>>(queryKey)?.pages ?? []
  const isFull = kept.reduce((sum, page) => sum + page.entries.length, 0) > mostKept
  const { data, error, isFetching, hasNextPage, fetchNextPage, fetchPreviousPage } = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => readAt(pageParam),
    enabled: isWanted,
    initialPageParam: { offset: 0, before: from ?? '' } as Place,
    getNextPageParam: ({ entries, next }, _pages, place) =>
      next === undefined ? undefined : { offset: place.offset + entries.length, before: next, previous: place },
    getPreviousPageParam: (_page, _pages, { previous }) => previous,
    // By entries, not by pages: a search may have any number of pages with none.
    ...(isFull && { maxPages: kept.length }),
    // A list that begins again has other pages; those of before would fill the memory.
    gcTime: 0,
    // Where a page goes at one end, each of the others would be compared with its neighbour, lead by lead.
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
    // What failed is said once, and not tried again with every row that is drawn.
    if (!first?.previous || isFetching || jump.isPending || jump.isError) return
    const place = placeOf(index, first.previous)
    if (place === first.previous) void fetchPreviousPage()
    else jump.mutate(place)
  }
  return { entries, offset: first?.offset ?? 0, error, hasMore, loadMore, loadPrevious }
}
