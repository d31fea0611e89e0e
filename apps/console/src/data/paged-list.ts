import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo } from 'react'
import { liveKey } from './live.ts'

/** How many entries of a list are read at once. */
const pageSize = 50

/** A page of a list of the control plane. */
interface Page<Entry> {
  readonly entries: readonly Entry[]
  readonly next?: string | undefined
}

/** A list as far as it is read, and what reads on. */
export interface PagedList<Entry> {
  readonly entries: readonly Entry[]
  readonly error: unknown
  /** Whether there are older entries than those that were read. */
  readonly hasMore: boolean
  readonly loadMore: () => void
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
  const queryKey = liveKey(tenant, ...name)
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam: before }) => read({ limit: pageSize, ...(before !== '' && { before }) }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: previous => previous,
  })
  const entries = useMemo(() => data?.pages.flatMap(page => page.entries) ?? [], [data])
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  // A search that found nothing yet has no row whose sight would ask for more.
  const isSearching = entries.length === 0 && hasNextPage
  useEffect(() => {
    if (isSearching) loadMore()
  }, [isSearching, loadMore])
  return {
    entries,
    error,
    hasMore: hasNextPage,
    loadMore,
    isSearching,
    isEmpty: data !== undefined && entries.length === 0 && !hasNextPage,
    showNewest: (data?.pages.length ?? 0) > 1 ? () => void client.resetQueries({ queryKey }) : undefined,
  }
}
