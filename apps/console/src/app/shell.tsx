import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { Link, NavLink, Outlet, useLocation, useParams } from 'react-router'
import { formatTime } from '../data/format.ts'
import { useAccount, useClock, useLive } from '../data/live.ts'
import {
  hasAdminToken,
  isForbidden,
  isInPage,
  referenceUrl,
  rememberAdminToken,
  sandbox,
  wantsAdminToken,
} from '../data/sandbox.ts'
import { DensitySwitch } from '../ui/density.tsx'
import { Modal } from '../ui/dialogs.tsx'
import { Badge, ErrorBoundary, ErrorNote, Field, PageHeader } from '../ui/elements.tsx'
import { Icon, type IconName } from '../ui/icons.tsx'
import { Keys } from './keys.tsx'
import { ThemeSwitch } from './theme.tsx'

/** The views, by topic. */
const sections: readonly { readonly title: string; readonly links: readonly [IconName, string][] }[] = [
  {
    title: 'Traffic',
    links: [
      ['overview', 'Overview'],
      ['leads', 'Leads'],
      ['calls', 'Calls'],
      ['callbacks', 'Callbacks'],
    ],
  },
  {
    title: 'Try',
    links: [
      ['submit', 'Submit'],
      ['scenarios', 'Scenarios'],
      ['diagnose', 'Diagnose a postback'],
    ],
  },
  {
    title: 'Control',
    links: [
      ['clock', 'Clock'],
      ['faults', 'Faults'],
      ['snapshots', 'Snapshots'],
    ],
  },
  {
    title: 'Tenant',
    links: [
      ['account', 'Account'],
      ['access', 'Access'],
      ['coverage', 'Coverage'],
    ],
  },
]

const viewLinks = sections.flatMap(({ links }) => links.map(([path, label]) => ({ path, label })))

/** The frame around every view: navigation, the tenant and its clock. */
export function Shell() {
  const { tenant = '' } = useParams()
  const { pathname } = useLocation()
  const [menu, setMenu] = useState(false)
  const account = useAccount(tenant)
  const stream = useLive(tenant)
  const navigation = <Navigation tenant={tenant} onNavigate={() => setMenu(false)} />
  return (
    <div className="shell">
      <button type="button" className="skip" onClick={() => document.getElementById('content')?.focus()}>
        Skip to content
      </button>
      <div className="sidebar">{navigation}</div>
      <header className="topbar">
        <button type="button" className="quiet icon menu-button" aria-label="Menu" onClick={() => setMenu(true)}>
          <Icon name="menu" />
        </button>
        <TenantButton tenant={tenant} />
        <div className="end">
          <output>{stream === 'reconnecting' && <Badge tone="warn">Reconnecting</Badge>}</output>
          <TenantClock tenant={tenant} />
          <a className="button wide-only" href={referenceUrl} target={isInPage ? '_blank' : undefined} rel="noreferrer">
            <Icon name="book" /> Reference
          </a>
          <Keys tenant={tenant} views={viewLinks} />
          <DensitySwitch />
          <ThemeSwitch />
        </div>
      </header>
      <Modal title="Menu" kind="drawer" open={menu} onOpenChange={setMenu}>
        {navigation}
      </Modal>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <main className="page" id="content" tabIndex={0} key={tenant}>
        <ErrorBoundary at={pathname}>
          {account.data ? <Outlet /> : account.isError && <NoAccount tenant={tenant} error={account.error} />}
        </ErrorBoundary>
      </main>
    </div>
  )
}

const TenantSwitcher = lazy(async () => ({ default: (await import('./tenant-switcher.tsx')).TenantSwitcher }))

/** Shows the current tenant, and opens the others. */
function TenantButton({ tenant }: { readonly tenant: string }) {
  const [open, setOpen] = useState(false)
  const [wasOpened, setOpened] = useState(false)
  return (
    <>
      <button
        type="button"
        className="switcher"
        aria-label={`Tenant ${tenant}. Switch`}
        onClick={() => {
          setOpened(true)
          setOpen(true)
        }}
      >
        <span className="muted wide-only">Tenant</span> <span className="clipped">{tenant}</span>
        <Icon name="down" />
      </button>
      {wasOpened && (
        <Suspense fallback={null}>
          <TenantSwitcher tenant={tenant} open={open} onOpenChange={setOpen} />
        </Suspense>
      )}
    </>
  )
}

function Navigation({ tenant, onNavigate }: { readonly tenant: string; readonly onNavigate: () => void }) {
  return (
    <nav className="nav" aria-label="Views">
      <div className="brand">
        <img src={new URL('../ui/icon.svg', import.meta.url).href} alt="" />
        Lead sandbox
      </div>
      {sections.map(({ title, links }) => (
        <div key={title}>
          <h2>{title}</h2>
          <ul>
            {links.map(([path, label]) => (
              <li key={path}>
                <NavLink to={`/${tenant}/${path}`} onClick={onNavigate}>
                  <Icon name={path} /> {label}
                </NavLink>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

/** The tenant's current time. */
function TenantClock({ tenant }: { readonly tenant: string }) {
  const { data: clock, isError } = useClock(tenant)
  if (clock && isError) return <Badge tone="bad">Unreachable</Badge>
  if (!clock) return null
  return (
    <NavLink to={`/${tenant}/clock`} className="button quiet" title="This tenant's time, UTC">
      {clock.mode === 'frozen' && <Badge tone="info">Frozen</Badge>}
      <span className="visually-hidden">Clock:</span>
      <span className={clock.mode === 'frozen' ? 'mono wide-only' : 'mono'}>{formatTime(clock.now)}</span>
    </NavLink>
  )
}

function NoAccount({ tenant, error }: { readonly tenant: string; readonly error: unknown }) {
  if (wantsAdminToken(error)) return <AskForToken />
  return (
    <>
      <PageHeader
        title={`The tenant ${tenant} can't be opened`}
        about="Choose or create another tenant at the top of the page."
      >
        {isForbidden(error) && <OwnTenant />}
      </PageHeader>
      <ErrorNote error={error} />
    </>
  )
}

/** Links to the tenant that a tenant token opens. */
function OwnTenant() {
  const { data } = useQuery({ queryKey: ['tenants'], queryFn: () => sandbox.listTenants() })
  return data?.tenants.map(({ tenant }) => (
    <Link key={tenant} className="button primary" to={`/${tenant}/leads`}>
      Open {tenant}
    </Link>
  ))
}

function AskForToken() {
  const [token, setToken] = useState('')
  return (
    <div className="stack">
      <PageHeader title="This sandbox requires a token" />
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          rememberAdminToken(token.trim())
        }}
      >
        <Field
          label="Admin token or tenant token"
          hint="The `--admin-token` that the sandbox was started with, or a tenant's token. It's kept until you close this tab."
        >
          {ids => (
            <input
              {...ids}
              type="password"
              aria-invalid={hasAdminToken}
              autoComplete="off"
              required
              value={token}
              onChange={event => setToken(event.target.value)}
            />
          )}
        </Field>
        {hasAdminToken && (
          <div className="note bad" role="alert">
            This token isn't valid for this sandbox. Check it, or ask the sandbox's operator for another one.
          </div>
        )}
        <div className="actions">
          <button type="submit" className="primary">
            Open the console
          </button>
        </div>
      </form>
    </div>
  )
}
