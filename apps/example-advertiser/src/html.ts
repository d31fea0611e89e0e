/** Markup whose texts are escaped. Only {@link html} creates it, so that no text becomes markup by mistake. */
export class Markup {
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  toString(): string {
    return this.#text
  }
}

type Part = Markup | string | number | false | undefined | readonly Part[]

/** Creates markup: escapes the values in `${}` except markup, and omits `false` and `undefined`. */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(String.raw({ raw: texts }, ...parts.map(rendered)))
}

function rendered(part: Part): string {
  if (part === false || part === undefined) return ''
  if (part instanceof Markup) return String(part)
  if (typeof part === 'object') return part.map(rendered).join('')
  return String(part).replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}

/** The headers of every page. None has a script. */
export const pageHeaders = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  // The address of a page names a lead, which no other site should learn.
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

export function page(title: string, body: Markup): string {
  return String(html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
  :root { --ink: #1d1f33; --soft: #63667d; --line: #d3d4e0; --accent: #3d3bb3; --wrong: #b3261e; }
  body { font: 17px/1.5 system-ui, sans-serif; color: var(--ink); background: #f5f5fa; margin: 0; }
  main { max-width: 60rem; margin: 3rem auto; padding: 2rem; background: #fff; border-radius: 12px; box-shadow: 0 1px 4px #0002; }
  h1 { margin-top: 0; line-height: 1.2; } label { display: block; font-weight: 500; }
  input { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem .6rem; border: 1px solid var(--line); border-radius: 8px; }
  :is(input, button):focus-visible { outline: 3px solid #a9a8ef; outline-offset: 1px; }
  button { font: inherit; font-weight: 600; color: #fff; background: var(--accent); border: 0; border-radius: 8px; padding: .5rem .9rem; margin: .2rem .2rem .2rem 0; cursor: pointer; }
  .soft { color: var(--soft); } .issue { color: var(--wrong); } td form { display: inline; }
  table { border-collapse: collapse; width: 100%; font-size: .9rem; } :is(td, th) { text-align: left; padding: .4rem; border-bottom: 1px solid var(--line); vertical-align: top; }
</style>
<main>${body}</main>
</html>
`)
}
