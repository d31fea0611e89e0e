import type { TenantControl } from '@lead-distribution/control-client'
import { hashKey, keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { listKey, liveKey, useRead, useTenant } from './live.ts'
import { beginPages, compareWithNewest, followPages, type Page, type Pages } from './pages.ts'
import { sandbox } from './sandbox.ts'

/** The size of the first page, which should appear fast, and of the pages loaded on scrolling. */
const [firstSize, pageSize] = [50, 200]

/** A list in the control plane, newest first, with the function that reads it. */
export interface ListSource<Entry> {
  /** The end of its query keys: its name, then its filter. */
  readonly name: readonly unknown[]
  readonly idOf: (entry: Entry) => string
  readonly read: (control: TenantControl, page: { limit: number; before?: string }) => Promise<Page<Entry>>
}

/** Returns a page from the control plane's response, which has its entries under their name. */
export async function pageOf<Name extends string, Entry>(
  name: Name,
  response: Promise<Readonly<Record<Name, readonly Entry[]>> & { readonly next?: string | undefined }>,
): Promise<Page<Entry>> {
  const { [name]: entries, next } = await response
  return { entries, next }
}

/** The loaded part of a list, and how to load more. */
export interface PagedList<Entry> {
  /** Identifies the list with its filter. */
  readonly key: string
  readonly idOf: (entry: Entry) => string
  readonly entries: readonly Entry[]
  readonly error: unknown
  readonly isLoading: boolean
  /** True if there are older entries than the loaded ones. */
  readonly hasMore: boolean
  readonly loadMore: () => void
  /** True if nothing was found yet and the search continues in older entries. */
  readonly isSearching: boolean
  /** True if the list was loaded and has no entries. */
  readonly isEmpty: boolean
  /** Holds the rows still, or lets new ones in at the top. */
  readonly hold: (isHeld: boolean) => void
  /** The new entries that a held list doesn't show; undefined if there are none. */
  readonly news: { readonly count: string; readonly show: () => void } | undefined
}

/** Reads a list's older pages, which don't change. */
export function usePages<Entry>({ name, read }: ListSource<Entry>) {
  const tenant = useTenant()
  const client = useQueryClient()
  const readFirst = () => read(sandbox.control(tenant), { limit: firstSize })
  return useInfiniteQuery({
    queryKey: listKey(tenant, ...name),
    // The view also reads the first page live. The two requests are coalesced.
    queryFn: ({ pageParam: before }) =>
      before === ''
        ? client.fetchQuery({ queryKey: liveKey(tenant, ...name), queryFn: readFirst })
        : read(sandbox.control(tenant), { limit: pageSize, before }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
    placeholderData: keepPreviousData,
  })
}

/**
 * Reads a list page by page. New entries appear at its top, or are counted while it is held. Older pages are loaded on
 * scrolling.
 */
export function usePagedList<Entry>(source: ListSource<Entry>): PagedList<Entry> {
  const { name, idOf, read } = source
  const tenant = useTenant()
  const client = useQueryClient()
  const key = hashKey(listKey(tenant, ...name))
  const [isHeld, hold] = useState(false)
  const { data: newest, error } = useRead(name, control => read(control, { limit: firstSize }))
  const { data, isPlaceholderData, hasNextPage, isFetching, fetchNextPage, ...pages } = usePages(source)
  const entries = useMemo(() => data?.pages.flatMap(page => page.entries) ?? [], [data])
  const change = useMemo(
    () => (newest && data && !isPlaceholderData ? compareWithNewest(entries, newest, idOf) : undefined),
    [entries, newest, data, isPlaceholderData, idOf],
  )
  const write = (pages: Pages<Entry>) => client.setQueryData(listKey(tenant, ...name), pages)
  const isFollowing = change !== undefined && (!isHeld || change.isGone)
  const follow = useEffectEvent(
    () => isFollowing && newest && data && write(followPages(data as Pages<Entry>, newest, idOf)),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows whenever one of these changes.
  useEffect(() => void follow(), [isFollowing, newest, data])
  const loadMore = () => {
    if (hasNextPage && !isFetching && !pages.isFetchNextPageError) void fetchNextPage()
  }
  // A search without results has no row to trigger loading more.
  const isSearching = entries.length === 0 && hasNextPage
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage()
  }, [isSearching, isFetching, fetchNextPage])
  return {
    key,
    idOf,
    entries: change?.updated ?? entries,
    error: error ?? pages.error,
    isLoading: data === undefined && !pages.error,
    hasMore: hasNextPage,
    loadMore,
    isSearching,
    isEmpty: data !== undefined && !isPlaceholderData && entries.length === 0 && !hasNextPage,
    hold,
    news:
      isHeld && newest && change && change.count > 0
        ? {
            count: `${change.count}${change.isMore ? '+' : ''} new`,
            show: () => write(beginPages(newest)),
          }
        : undefined,
  }
}
