import { Suspense, useState } from 'react'
import { Link, NavLink, Outlet, useLocation } from 'react-router'
import { formatTime, formatTimeOfDay } from '../data/format.ts'
import {
  useActiveFaults,
  useClockIfRead,
  useLive,
  useReadOnly,
  useSession,
  useTenant,
  useTenantQuery,
} from '../data/live.ts'
import { isInPage, referenceUrl, requiresToken, signOut } from '../data/sandbox.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Badge, ErrorBoundary, ErrorNote, PageHeader } from '../ui/elements.tsx'
import { Icon, type IconName } from '../ui/icons.tsx'
import { lazyView } from '../ui/lazy-view.ts'
import { Modal } from '../ui/modal.tsx'
import { toastError } from '../ui/toasts.tsx'
import { Keys } from './keys.tsx'
import { SignIn } from './sign-in.tsx'
import { DensitySwitch, ThemeSwitch } from './switches.tsx'

/** The views by topic: the path, which is also the icon's name, and the label. */
const sections = {
  Traffic: {
    overview: 'Overview',
    leads: 'Leads',
    requests: 'Requests',
    callbacks: 'Callbacks',
  },
  Try: {
    submit: 'Submit',
    coverage: 'Coverage',
    scenarios: 'Scenarios',
    diagnose: 'Diagnose a postback',
  },
  Control: {
    clock: 'Clock',
    faults: 'Faults',
    snapshots: 'Snapshots',
  },
  Tenant: {
    account: 'Account',
    access: 'Access',
  },
} satisfies Readonly<Record<string, Partial<Record<IconName, string>>>>

const linksOf = (section: Partial<Record<IconName, string>>) =>
  Object.entries(section).map(([path, label]) => ({ path: path as IconName, label }))

const viewLinks = Object.values(sections).flatMap(linksOf)

/** The frame around every view: navigation, the tenant and its clock. */
export function Shell() {
  const tenant = useTenant()
  const { pathname } = useLocation()
  const [menu, setMenu] = useState(false)
  const { isRead, error } = useTenantQuery()
  const stream = useLive(tenant)
  const readOnly = useReadOnly()
  const hasFaults = useActiveFaults().length > 0
  const navigation = <Navigation onNavigate={() => setMenu(false)} />
  return (
    <div className="shell">
      <button type="button" className="skip" onClick={() => document.getElementById('content')?.focus()}>
        Skip to content
      </button>
      <div className="sidebar">{navigation}</div>
      <header>
        <div className="topbar line">
          <button type="button" className="quiet icon narrow-only" aria-label="Menu" onClick={() => setMenu(true)}>
            <Icon name="menu" />
          </button>
          <TenantButton />
          <div className="line end">
            <output>{stream === 'reconnecting' && <Badge tone="warn">Reconnecting</Badge>}</output>
            {readOnly !== undefined && (
              <span title={readOnly}>
                <Badge tone="info">Read-only</Badge>
              </span>
            )}
            <TenantClock />
            <a
              className="button wide-only"
              href={referenceUrl}
              target={isInPage ? '_blank' : undefined}
              rel="noreferrer"
            >
              <Icon name="book" /> Reference
            </a>
            <CopyButton bare label="Copy the link to this view" text={() => location.href} />
            <Keys views={viewLinks} />
            <DensitySwitch />
            <ThemeSwitch />
          </div>
        </div>
        <ErrorBoundary at={pathname} isSilent>
          <Suspense fallback={null}>{hasFaults && <ActiveFaults />}</Suspense>
        </ErrorBoundary>
      </header>
      {menu && (
        <Modal title="Menu" kind="drawer" onClose={() => setMenu(false)}>
          {navigation}
        </Modal>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <main className="page" id="content" tabIndex={0} key={tenant}>
        <ErrorBoundary at={pathname}>{isRead ? <Outlet /> : error && <NoAccount error={error} />}</ErrorBoundary>
      </main>
    </div>
  )
}

/** Loaded once a fault is set. */
const ActiveFaults = lazyView(async () => (await import('../views/active-faults.tsx')).ActiveFaults)

const TenantSwitcher = lazyView(async () => (await import('./tenant-switcher.tsx')).TenantSwitcher)

/** Shows the current tenant, and switches to others. */
function TenantButton() {
  const tenant = useTenant()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="switcher" aria-label={`Tenant ${tenant}. Switch`} onClick={() => setOpen(true)}>
        <span className="muted wide-only">Tenant</span> <span className="clipped">{tenant}</span>
        <Icon name="down" />
      </button>
      <Suspense fallback={null}>{isOpen && <TenantSwitcher onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}

function Navigation({ onNavigate }: { readonly onNavigate: () => void }) {
  return (
    <nav className="nav" aria-label="Views">
      <div className="brand line">
        <img src={new URL('../ui/icon.svg', import.meta.url).href} alt="" />
        Lead sandbox
      </div>
      {Object.entries(sections).map(([title, section]) => (
        <div key={title}>
          <h2>{title}</h2>
          <ul>
            {linksOf(section).map(({ path, label }) => (
              <li key={path}>
                <NavLink className="line" to={path} onClick={onNavigate}>
                  <Icon name={path} /> {label}
                </NavLink>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <SignedIn />
    </nav>
  )
}

/** The tenant's current time. */
function TenantClock() {
  const { data: clock, isError } = useClockIfRead()
  if (clock && isError) return <Badge tone="bad">Unreachable</Badge>
  if (!clock) return null
  return (
    <NavLink to="clock" className="button quiet" title="This tenant's time, UTC">
      {clock.mode === 'frozen' && <Badge tone="info">Frozen</Badge>}
      <span className="visually-hidden">Clock:</span>
      <span className="mono wide-only">{formatTime(clock.now)}</span>
      {clock.mode === 'running' && <span className="mono narrow-only">{formatTimeOfDay(clock.now)}</span>}
    </NavLink>
  )
}

function NoAccount({ error }: { readonly error: unknown }) {
  const tenant = useTenant()
  const own = useSession().data?.tenant
  if (requiresToken(error)) return <SignIn />
  return (
    <>
      <PageHeader title={`The tenant ${tenant} can't be opened`} about="Choose another tenant at the top of the page.">
        {own !== undefined && (
          <Link className="button primary" to={`/${own}/overview`}>
            Open {own}
          </Link>
        )}
      </PageHeader>
      <ErrorNote error={error} />
    </>
  )
}

/** Shows who is signed in to a shared sandbox. */
function SignedIn() {
  const { data } = useSession()
  // The token was valid when the page read the session.
  const isOver = requiresToken(useTenantQuery().error)
  if (!data?.requires_token || isOver) return null
  const who = data.tenant === undefined ? 'Admin token' : `Token of ${data.tenant}`
  return (
    <div className="signed-in">
      <p className="muted">
        {who}
        {data.role === 'read' && ', read-only'}
      </p>
      <button type="button" className="small" onClick={() => void signOut().catch(toastError)}>
        Sign out
      </button>
    </div>
  )
}
