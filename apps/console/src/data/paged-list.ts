import { type InfiniteData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { liveKey } from './live.ts'

/** How many entries are read first, to be shown soon, and how many at once by whoever scrolls on. */
const [firstSize, pageSize] = [50, 200]

/** How many entries of a list are kept: with more, a page that is read takes the place of the one at the other end. */
const mostKept = 2_000

/** A page of a list of the control plane. */
interface Page<Entry> {
  readonly entries: readonly Entry[]
  readonly next?: string | undefined
}

type Kept<Entry> = InfiniteData<Page<Entry>, Place>

/** Where a page begins: how many entries come before it, the id that they end with, and the page before it. */
interface Place {
  readonly offset: number
  readonly before?: string
  readonly previous?: Place
}

const start: Place = { offset: 0 }

/** The place of the page that has a row, or of the one behind which it is: `last` or one before it. */
function placeOf(row: number, last: Place): Place {
  let place = last
  while (place.previous && place.offset > row) place = place.previous
  return place
}

/** The part of a list that is kept, and what reads on. */
export interface PagedList<Entry> {
  /** Another one where the list begins at its newest entry again. */
  readonly key: string
  readonly entries: readonly Entry[]
  /** How many entries come before the kept ones. They were read, and are read again when they are scrolled to. */
  readonly offset: number
  readonly error: unknown
  /** Whether there are older entries than those that were read. */
  readonly hasMore: boolean
  readonly loadMore: () => void
  /** Reads the page again that has a row before the kept ones; where that is far away, nothing else is kept. */
  readonly loadPrevious: (row: number) => void
  /** Whether nothing was found yet and older entries are still looked at. */
  readonly isSearching: boolean
  /** Whether the list was read and holds nothing. */
  readonly isEmpty: boolean
  /** Begins again; undefined where nothing older is shown. */
  readonly showNewest: (() => void) | undefined
}

/**
 * A list of the control plane, newest first, page by page. Only its first page stays live: once older ones are loaded,
 * `showNewest` begins again, so that nothing moves under a reader.
 */
export function usePagedList<Entry>(
  tenant: string,
  name: readonly unknown[],
  read: (page: { limit: number; before?: string }) => Promise<Page<Entry>>,
): PagedList<Entry> {
  const client = useQueryClient()
  const [resets, setResets] = useState(0)
  const queryKey = liveKey(tenant, ...name)
  const readAt = ({ before }: Place) => read(before === undefined ? { limit: firstSize } : { limit: pageSize, before })
  const kept = client.getQueryData<Kept<Entry>>(queryKey)?.pages ?? []
  const isFull = kept.reduce((sum, page) => sum + page.entries.length, 0) > mostKept
  const { data, error, isFetching, hasNextPage, fetchNextPage, fetchPreviousPage } = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => readAt(pageParam),
    initialPageParam: start,
    getNextPageParam: ({ entries, next }, _pages, place) =>
      next === undefined ? undefined : { offset: place.offset + entries.length, before: next, previous: place },
    getPreviousPageParam: (_page, _pages, { previous }) => previous,
    // By entries, not by pages: a search may have any number of pages with none.
    ...(isFull && { maxPages: kept.length }),
    placeholderData: previous => previous,
    // Where a page goes at one end, each of the others would be compared with its neighbour, lead by lead.
    structuralSharing: false,
  })
  const entries = useMemo(() => data?.pages.flatMap(page => page.entries) ?? [], [data])
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [hasNextPage, isFetching, fetchNextPage])
  const jump = useMutation({
    mutationFn: async (to: Place) =>
      client.setQueryData<Kept<Entry>>(queryKey, { pages: [await readAt(to)], pageParams: [to] }),
  })
  const first = (data as Kept<Entry> | undefined)?.pageParams[0] ?? start
  const loadPrevious = (row: number) => {
    // What failed is said once, and not tried again with every row that is drawn.
    if (!first.previous || isFetching || jump.isPending || jump.isError) return
    const place = placeOf(row, first.previous)
    if (place === first.previous) void fetchPreviousPage()
    else jump.mutate(place)
  }
  // A search that found nothing yet has no row whose sight would ask for more.
  const isSearching = entries.length === 0 && hasNextPage
  useEffect(() => {
    if (isSearching) loadMore()
  }, [isSearching, loadMore])
  const showNewest = () => {
    setResets(times => times + 1)
    jump.reset()
    void client.resetQueries({ queryKey })
  }
  return {
    key: JSON.stringify([queryKey, resets]),
    entries,
    offset: first.offset,
    error,
    hasMore: hasNextPage,
    loadMore,
    loadPrevious,
    isSearching,
    isEmpty: data !== undefined && entries.length === 0 && !hasNextPage,
    showNewest: first.offset > 0 || (data?.pages.length ?? 0) > 1 ? showNewest : undefined,
  }
}
