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

export const pageHeaders = {
  // No `form-action`: browsers hold it against redirects too, and the form ends in one to an advertiser.
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  // The address of a page names an application: no other site learns it.
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
  :root { --ink: #17212b; --soft: #5b6b7a; --line: #ccd5dd; --accent: #0b6e4f; --wrong: #b3261e; }
  body { font: 17px/1.5 system-ui, sans-serif; color: var(--ink); background: #f4f6f8; margin: 0; }
  main { max-width: 40rem; margin: 3rem auto; padding: 2rem; background: #fff; border-radius: 12px; box-shadow: 0 1px 4px #0002; }
  h1 { margin-top: 0; line-height: 1.2; }
  fieldset { border: 0; padding: 0; margin: 0 0 1.5rem; display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
  legend { font-weight: 600; font-size: 1.15rem; margin-bottom: .75rem; }
  label { display: block; font-weight: 500; }
  input:not([type=checkbox]), select { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem .6rem; border: 1px solid var(--line); border-radius: 8px; background: #fff; }
  :is(input, select, button, a):focus-visible { outline: 3px solid #7cc4a8; outline-offset: 1px; }
  [aria-invalid=true] { border-color: var(--wrong) !important; }
  .wide { grid-column: 1 / -1; } .consent label { display: inline; font-weight: 400; margin-left: .4rem; }
  .issue { color: var(--wrong); margin: .2rem 0 0; font-size: .95rem; }
  .summary { border: 2px solid var(--wrong); border-radius: 8px; padding: .75rem 1rem; margin-bottom: 1.5rem; }
  button, .button { font: inherit; font-weight: 600; color: #fff; background: var(--accent); border: 0; border-radius: 8px; padding: .7rem 1.4rem; cursor: pointer; text-decoration: none; display: inline-block; }
  .soft { color: var(--soft); } table { border-collapse: collapse; width: 100%; font-size: .9rem; } :is(td, th) { text-align: left; padding: .4rem; border-bottom: 1px solid var(--line); vertical-align: top; }
  @media (max-width: 32rem) { fieldset { grid-template-columns: 1fr } main { margin: 0; border-radius: 0 } }
</style>
<main>${body}</main>
</html>
`)
}
