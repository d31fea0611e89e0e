import { defineRouteMiddleware, type StarlightRouteData } from '@astrojs/starlight/route-data'
import { base } from '../addresses.ts'

/** Titles that a plugin calls "Overview", and the front page's, which is the site's already. */
const titles: Readonly<Record<string, string>> = {
  [`${base}/http/service/`]: 'HTTP API of the service',
  [`${base}/http/control/`]: 'HTTP API of the control plane',
}

/** Names the pages that plugins don't name well, and shortens the navigation of the references. */
export const onRequest = defineRouteMiddleware(({ locals, url }) => {
  const route = locals.starlightRoute
  for (const link of [route.pagination.prev, route.pagination.next])
    if (link) link.label = titles[link.href] ?? link.label
  const tab = route.head.find(({ tag }) => tag === 'title')
  const title = titles[url.pathname]
  if (title) route.entry.data.title = title
  if (title && tab) tab.content = tab.content?.replace('Overview', title)
  if (url.pathname === `${base}/` && tab) tab.content = route.siteTitle
  if (/^(reference|http)(\/|$)/.test(route.id)) route.sidebar = shortened(route.sidebar)
})

type Sidebar = StarlightRouteData['sidebar']

/** Leaves of each group that is folded a link to its first page: a page lists its neighbors, not the whole reference. */
function shortened(sidebar: Sidebar): Sidebar {
  return sidebar.flatMap(item => {
    if (item.type === 'link') return item
    if (hasCurrent(item)) return { ...item, collapsed: false, entries: shortened(item.entries) }
    const [first] = item.entries
    return item.collapsed && first?.type === 'link' ? { ...first, label: item.label } : item
  })
}

const hasCurrent = (item: Sidebar[number]): boolean =>
  item.type === 'link' ? item.isCurrent : item.entries.some(hasCurrent)
