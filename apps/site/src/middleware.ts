import { defineMiddleware } from 'astro:middleware'

/** Corrects each page where Starlight and its plugins don't: for the keyboard, for screen readers, for its size. */
export const onRequest = defineMiddleware(async (_context, next) => {
  const response = await next()
  if (!response.headers.get('content-type')?.startsWith('text/html')) return response
  return new Response(drawIconsOnce(makeAccessible(await response.text())), response)
})

/** Lets each further copy of an icon refer to the first one. */
function drawIconsOnce(html: string): string {
  const ids = new Map<string, string>()
  return html.replaceAll(/(<svg[^>]*>)(<path.*?)<\/svg>/gs, (_icon, start: string, paths: string) => {
    const id = ids.get(paths)
    if (id) return `${start}<use href="#${id}"/></svg>`
    ids.set(paths, `icon-${ids.size + 1}`)
    return `${start}<g id="icon-${ids.size}">${paths}</g></svg>`
  })
}

function makeAccessible(html: string): string {
  return (
    html
      // The keyboard scrolls what is too wide. Scripts take that away again from what fits.
      .replaceAll('<pre data-language=', '<pre tabindex="0" data-language=')
      .replaceAll(/<table[ >].*?<\/table>/gs, scrollable)
      // No level fits the sections that the examples of the HTTP API are in.
      .replaceAll(/<h5 (class="sl-openapi-examples-heading.*?)<\/h5>/gs, '<p $1</p>')
      // A second title, the license, and the version of OpenAPI.
      .replace(
        /<div class="sl-heading-wrapper level-h2"><h2 id="overview" class="sl-openapi-heading.*?<\/a><\/div>/s,
        '',
      )
      .replace(/<div class="sl-openapi-overview-meta.*?<\/article><\/div>/s, '')
      // The name of the search button is its text, which includes the keys.
      .replace(/(<button data-open-modal[^>]*?) aria-label="[^"]*"/, '$1')
      .replace(/(<button data-open-modal.*?<span class=")[^"]*"[^>]*/s, '$1search-label"')
  )
}

/** Returns a table in a box that scrolls, named by the table's columns. A name in it is not broken, a sentence is. */
function scrollable(table: string): string {
  const columns = [...table.matchAll(/<th[^>]*>(.*?)<\/th>/gs)].map(([, column = '']) =>
    column.replaceAll(/<[^>]*>/g, ''),
  )
  const label = `Table: ${columns.filter(column => column !== '').join(', ')}`.replaceAll('"', '&quot;')
  const content = table.replaceAll(/<code(?=[^>]*>[^<]{1,40}<\/code>)/g, '<code class="name"')
  return `<div class="table" tabindex="0" role="group" aria-label="${label}">${content}</div>`
}
