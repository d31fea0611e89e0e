import { defineRouteMiddleware, type StarlightRouteData } from '@astrojs/starlight/route-data'
import { base } from '../addresses.ts'

/** The first page of each HTTP API. */
const titles: Readonly<Record<string, string>> = {
  [`${base}/http/service/`]: 'HTTP API of the service',
  [`${base}/http/control/`]: 'HTTP API of the control plane',
}

/** Names the pages that plugins call "Overview", and shortens the navigation of the references. */
export const onRequest = defineRouteMiddleware(({ locals, url }) => {
  const route = locals.starlightRoute
  const tab = route.head.find(({ tag }) => tag === 'title')
  // The title of the front page is the site's.
  if (url.pathname === `${base}/` && tab) tab.content = route.siteTitle
  if (/^http(\/|$)/.test(route.id)) nameOverviews(route, tab, url.pathname)
  if (/^(reference|http)(\/|$)/.test(route.id)) route.sidebar = shortened(route.sidebar)
})

type Sidebar = StarlightRouteData['sidebar']
type Link = NonNullable<StarlightRouteData['pagination']['prev']>

function nameOverviews(
  route: StarlightRouteData,
  tab: StarlightRouteData['head'][number] | undefined,
  path: string,
): void {
  const names = new Map([...overviews(route.sidebar), ...Object.entries(titles)])
  // Copies: the entries of the navigation keep their labels.
  const named = (link: Link | undefined) => link && { ...link, label: names.get(link.href) ?? link.label }
  route.pagination = { prev: named(route.pagination.prev), next: named(route.pagination.next) }
  const title = names.get(path)
  if (!title) return
  route.entry.data.title = title
  if (tab) tab.content = tab.content?.replace('Overview', title)
  // The second title, which is left out.
  if (route.toc) route.toc.items = route.toc.items.filter(({ slug }) => slug !== 'overview')
}

/** Returns the address of each overview of a group, and the name of the group. Begins each name with a capital. */
function overviews(sidebar: Sidebar): [address: string, name: string][] {
  return sidebar.flatMap(item => {
    if (item.type === 'link') return []
    item.label = item.label.charAt(0).toUpperCase() + item.label.slice(1)
    const [first] = item.entries
    const own: [string, string][] =
      first?.type === 'link' && first.label === 'Overview' ? [[first.href, item.label]] : []
    return [...own, ...overviews(item.entries)]
  })
}

/** Leaves of each group that is folded a link to its first page: a page lists its neighbors, not the whole reference. */
function shortened(sidebar: Sidebar): Sidebar {
  return sidebar.flatMap(item => {
    if (item.type === 'link') return item
    if (hasCurrent(item)) return { ...item, collapsed: false, entries: shortened(item.entries) }
    const [first] = item.entries
    return item.collapsed && first?.type === 'link' ? { ...first, label: item.label, badge: undefined } : item
  })
}

const hasCurrent = (item: Sidebar[number]): boolean =>
  item.type === 'link' ? item.isCurrent : item.entries.some(hasCurrent)
