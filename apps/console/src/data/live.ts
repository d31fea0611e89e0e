import { type Query, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { sandbox, wantsAdminToken } from './sandbox.ts'

/** How often a visible page asks for what is new, milliseconds. */
const pollMs = 2_000

/** The key of everything that is known of a tenant. */
const tenantKey = (tenant: string) => ['tenant', tenant] as const

/** The key of something that changes by itself, such as the list of leads: {@link useLive} keeps it up to date. */
export const liveKey = (tenant: string, ...name: readonly unknown[]) => [...tenantKey(tenant), 'live', ...name] as const

/**
 * Keeps everything live of a tenant up to date while the page is visible. The one place that knows how the page hears
 * of news: the views only read queries with a {@link liveKey}.
 */
export function useLive(tenant: string): void {
  const client = useQueryClient()
  useEffect(() => {
    const refresh = () => {
      if (document.hidden) return
      void client.invalidateQueries({ queryKey: liveKey(tenant), predicate: isCurrent }, { cancelRefetch: false })
    }
    const timer = setInterval(refresh, pollMs)
    document.addEventListener('visibilitychange', refresh)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', refresh)
    }
  }, [client, tenant])
}

/**
 * Whether something is asked for again. Not a list of which older pages were loaded: it stays until its reader asks for
 * the newest entries. Not what was refused without the admin token: the form that asks for it would lose what is typed.
 */
function isCurrent({ state: { data, error } }: Query): boolean {
  const pages = (data as { pages?: readonly unknown[] } | undefined)?.pages
  return (pages === undefined || pages.length <= 1) && !wantsAdminToken(error)
}

/** The account of a tenant. */
export function useAccount(tenant: string) {
  return useQuery({ queryKey: liveKey(tenant, 'account'), queryFn: () => sandbox.control(tenant).show() })
}

/** The clock of a tenant. */
export function useClock(tenant: string) {
  return useQuery({ queryKey: liveKey(tenant, 'clock'), queryFn: () => sandbox.control(tenant).clock.show() })
}

/**
 * Something that changes a tenant: afterwards all that is shown of the tenant is read again. `done` is what the page then
 * says; an error it says by itself.
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
