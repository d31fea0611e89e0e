import { defineRouteMiddleware } from '@astrojs/starlight/route-data'
import { base } from '../addresses.ts'

const titles: Readonly<Record<string, string>> = {
  [`${base}/http/service/`]: 'HTTP API of the service',
  [`${base}/http/control/`]: 'HTTP API of the control plane',
}

/** Names the first page of each HTTP API, which its plugin calls "Overview". */
export const onRequest = defineRouteMiddleware(({ locals, url }) => {
  const { entry, head, pagination } = locals.starlightRoute
  for (const link of [pagination.prev, pagination.next]) if (link) link.label = titles[link.href] ?? link.label
  const title = titles[url.pathname]
  if (!title) return
  entry.data.title = title
  for (const tag of head) if (tag.tag === 'title') tag.content = tag.content?.replace('Overview', title)
})
