import { defineMiddleware } from 'astro:middleware'

/** Corrects each page for readers who use the keyboard or a screen reader, where Starlight and its plugins don't. */
export const onRequest = defineMiddleware(async (_context, next) => {
  const response = await next()
  if (!response.headers.get('content-type')?.startsWith('text/html')) return response
  return new Response(makeAccessible(await response.text()), response)
})

function makeAccessible(html: string): string {
  return (
    html
      // The keyboard scrolls what is too wide. Scripts take that away again from what fits.
      .replaceAll('<pre data-language=', '<pre tabindex="0" data-language=')
      .replaceAll(/<table[ >].*?<\/table>/gs, scrollable)
      // No level fits the sections that the examples of the HTTP API are in.
      .replaceAll(/<h5 (class="sl-openapi-examples-heading.*?)<\/h5>/gs, '<p $1</p>')
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
