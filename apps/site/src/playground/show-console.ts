// The page inside of the playground: the console, with its sandbox in the same page.
import { mountConsole } from '@lead-distribution/console'
import '@lead-distribution/console/styles.css'
import { address, startDemoSandbox } from './demo-sandbox.ts'
import { tellStory } from './tell-story.ts'

/** The items in which Starlight and the console keep the chosen theme. */
const themes = { site: 'starlight-theme', console: 'lead-sandbox.theme' }

followTheme()
document.addEventListener('click', leadToSite, { capture: true })

const { tenant, fetch } = await startDemoSandbox()
await tellStory(tenant, fetch)

// Begins with the leads.
if (!globalThis.location.hash) history.replaceState(null, '', `#/${tenant.account.tenant}/leads`)

const root = document.getElementById('console')
if (root) mountConsole({ root, baseUrl: address, fetch, referenceUrl: siteUrl('http/service') })

/** Shows the theme of the site, also after it is switched there, even while the sandbox still starts. */
function followTheme(): void {
  const show = (theme: string | null) => {
    document.documentElement.dataset.theme = theme || 'system'
    // The console shows it once it is there.
    localStorage.setItem(themes.console, theme || 'system')
  }
  try {
    show(localStorage.getItem(themes.site))
  } catch {
    // Where the browser denies storage, the console shows the theme of the system.
  }
  addEventListener('storage', ({ key, newValue }) => {
    if (key === themes.site) show(newValue)
  })
}

/** Lets a link to the documentation in the repository lead to its page on this site. */
function leadToSite({ target }: MouseEvent): void {
  const link = target instanceof Element ? target.closest('a') : null
  const page = /^https:\/\/github\.com\/.*\/docs\/(.+)\.md$/.exec(link?.href ?? '')?.[1]
  if (link && page) link.href = siteUrl(page)
}

/** Returns the URL of a page of the site. This page is at `playground/app/`. */
function siteUrl(page: string): string {
  return new URL(`../../${page}/`, globalThis.location.href).href
}
