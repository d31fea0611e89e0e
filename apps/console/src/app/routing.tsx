import { Suspense } from 'react'
import { Navigate, Route, Routes } from 'react-router'
import { useAccountQuery, useTenant } from '../data/live.ts'
import { isMissing, requiresToken } from '../data/sandbox.ts'
import { lazyView } from '../ui/lazy-view.ts'
import { Shell } from './shell.tsx'
import { Home, SignIn } from './sign-in.tsx'

/** The views. Each loads on first use. */
const views = {
  overview: lazyView(async () => (await import('../views/overview.tsx')).Overview),
  leads: lazyView(async () => (await import('../views/leads.tsx')).Leads),
  'leads/:id': lazyView(async () => (await import('../views/lead.tsx')).LeadPage),
  submit: lazyView(async () => (await import('../views/submit.tsx')).Submit),
  'requests/:id?': lazyView(async () => (await import('../views/requests.tsx')).Requests),
  'callbacks/:id?': lazyView(async () => (await import('../views/callbacks.tsx')).Callbacks),
  'compare/leads/:a/:b': lazyView(async () => (await import('../views/compare.tsx')).CompareLeads),
  'compare/requests/:a/:b': lazyView(async () => (await import('../views/compare.tsx')).CompareRequests),
  clock: lazyView(async () => (await import('../views/clock.tsx')).ClockPage),
  faults: lazyView(async () => (await import('../views/faults.tsx')).Faults),
  scenarios: lazyView(async () => (await import('../views/scenarios.tsx')).Scenarios),
  coverage: lazyView(async () => (await import('../views/coverage.tsx')).Coverage),
  account: lazyView(async () => (await import('../views/account.tsx')).AccountPage),
  access: lazyView(async () => (await import('../views/access.tsx')).Access),
  snapshots: lazyView(async () => (await import('../views/snapshots.tsx')).Snapshots),
  diagnose: lazyView(async () => (await import('../views/diagnose.tsx')).DiagnosePostback),
}

/** The paths of the page, after the `#`: tenant, then view. */
export function Routing() {
  return (
    <Routes>
      <Route index element={<Home />} />
      <Route path=":tenant" element={<TenantFrame />}>
        <Route index element={<Navigate to="overview" replace />} />
        {Object.entries(views).map(([path, View]) => (
          <Route
            key={path}
            path={path}
            element={
              <Suspense fallback={null}>
                <View />
              </Suspense>
            }
          />
        ))}
        <Route path="*" element={<Navigate to="../overview" replace />} />
      </Route>
    </Routes>
  )
}

const UnknownTenant = lazyView(async () => (await import('./unknown-tenant.tsx')).UnknownTenant)

/**
 * The frame around a tenant's views. If the tenant no longer exists, or the token no longer opens it, the frame unmounts
 * together with its queries and its stream.
 */
function TenantFrame() {
  const tenant = useTenant()
  const { data: account, error, errorUpdatedAt } = useAccountQuery()
  if (isMissing(error))
    return (
      <Suspense fallback={null}>
        <UnknownTenant key={tenant} since={errorUpdatedAt} />
      </Suspense>
    )
  if (account && requiresToken(error))
    return (
      <main className="page" id="content">
        <SignIn
          title={`Your token no longer opens the tenant ${tenant}`}
          about="The tenant was deleted, or the token was revoked or has expired. Sign in again."
        />
      </main>
    )
  return <Shell />
}
