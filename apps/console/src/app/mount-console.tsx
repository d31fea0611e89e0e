import { MutationCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import { HashRouter } from 'react-router'
import { connectTo, isRefused, type SandboxSource, sessionChange } from '../data/sandbox.ts'
import { ErrorBoundary } from '../ui/elements.tsx'
import { density, theme } from '../ui/stored-choice.ts'
import { Toasts, toast, toastError } from '../ui/toasts.tsx'
import { Routing } from './routing.tsx'

const client = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < 1 && !isRefused(error),
      refetchOnWindowFocus: false,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
  mutationCache: new MutationCache({
    onSuccess: (_result, _input, _context, { meta }) => {
      if (typeof meta?.done === 'string') toast(meta.done)
    },
    onError: error => toastError(error),
  }),
})

// Another caller may see other data.
sessionChange.subscribe(() => client.clear())

/** A console's element and its sandbox. */
export interface ConsoleOptions extends SandboxSource {
  /** The element to render into. */
  readonly root: Element
}

/** Shows the console of a sandbox. A page has one console, which keeps its address in the hash of the page's URL. */
export function mountConsole({ root, ...source }: ConsoleOptions): void {
  connectTo(source)
  theme.apply()
  density.apply()
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <Pages />
        <Toasts />
      </QueryClientProvider>
    </StrictMode>,
  )
}

/** The console's pages, which start over on sign-in and sign-out. */
function Pages() {
  return (
    <HashRouter key={useSyncExternalStore(sessionChange.subscribe, sessionChange.count)}>
      <ErrorBoundary>
        <Routing />
      </ErrorBoundary>
    </HashRouter>
  )
}
