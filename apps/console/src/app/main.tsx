import { MutationCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { HashRouter } from 'react-router'
import { isMissing } from '../data/sandbox.ts'
import { ErrorBoundary } from '../ui/elements.tsx'
import { Toasts, toast, toastError } from '../ui/toasts.tsx'
import { Routing } from './routing.tsx'
import { applyTheme, storedTheme } from './theme.tsx'

applyTheme(storedTheme())

const client = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < 1 && !isMissing(error),
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

const root = document.getElementById('console')
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <HashRouter>
          <ErrorBoundary>
            <Routing />
          </ErrorBoundary>
        </HashRouter>
        <Toasts />
      </QueryClientProvider>
    </StrictMode>,
  )
