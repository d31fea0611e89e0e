import { lazy, Suspense } from 'react'
import { Navigate, Route, Routes } from 'react-router'
import { demoTenant } from '../data/sandbox.ts'
import { Shell } from './shell.tsx'

/** The views. Each is loaded the first time it is shown. */
const views = {
  overview: lazy(async () => ({ default: (await import('../views/overview.tsx')).Overview })),
  leads: lazy(async () => ({ default: (await import('../views/leads.tsx')).Leads })),
  'leads/:id': lazy(async () => ({ default: (await import('../views/lead.tsx')).LeadPage })),
  submit: lazy(async () => ({ default: (await import('../views/submit.tsx')).Submit })),
  'calls/:id?': lazy(async () => ({ default: (await import('../views/calls.tsx')).Calls })),
  'callbacks/:id?': lazy(async () => ({ default: (await import('../views/callbacks.tsx')).Callbacks })),
  'compare/leads/:a/:b': lazy(async () => ({ default: (await import('../views/compare.tsx')).CompareLeads })),
  'compare/calls/:a/:b': lazy(async () => ({ default: (await import('../views/compare.tsx')).CompareCalls })),
  clock: lazy(async () => ({ default: (await import('../views/clock.tsx')).ClockPage })),
  faults: lazy(async () => ({ default: (await import('../views/faults.tsx')).Faults })),
  scenarios: lazy(async () => ({ default: (await import('../views/scenarios.tsx')).Scenarios })),
  coverage: lazy(async () => ({ default: (await import('../views/coverage.tsx')).Coverage })),
  account: lazy(async () => ({ default: (await import('../views/account.tsx')).AccountPage })),
  access: lazy(async () => ({ default: (await import('../views/access.tsx')).Access })),
  snapshots: lazy(async () => ({ default: (await import('../views/snapshots.tsx')).Snapshots })),
  diagnose: lazy(async () => ({ default: (await import('../views/diagnose.tsx')).DiagnosePostback })),
}

/** The paths of the page, after the `#`: tenant, then view. */
export function Routing() {
  return (
    <Routes>
      <Route index element={<Navigate to={`/${demoTenant}/overview`} replace />} />
      <Route path=":tenant" element={<Shell />}>
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
