import { encodeToken, sha256 } from '@lead-distribution/contract'
import type { HttpResponse } from '@lead-distribution/http'
import { consoleTokens } from './console-tokens.generated.ts'

/** Safe markup: literal parts are trusted, inserted values are escaped. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A value in a template: escaped text or a number, markup or a list of it (one per line), or nothing. */
type HtmlValue = string | number | Html | readonly Html[] | undefined

/**
 * Creates markup from a template. Escapes every value that is not markup, for use between tags and in quoted attributes.
 */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(strings.map((text, index) => text + textOf(values[index])).join(''))
}

function textOf(value: HtmlValue): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.text
  // Checked at run time: a value from the network may have any type.
  if (Array.isArray(value)) return value.map(textOf).join('\n')
  return String(value).replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}

/** Renders a sandbox page in the console's design, without scripts or external resources. */
export async function htmlPage(status: number, title: string, body: Html): Promise<HttpResponse> {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${encodeToken(await sha256(style), 'base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
    body: page.text,
  }
}

const style = `${consoleTokens}
*, *::before, *::after { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--text); font: 14.5px / 1.55 var(--sans); }
main { display: grid; gap: 16px; max-width: 720px; margin: 0 auto; padding: 40px 16px 56px; }
h1, h2, p, dl, dd, ul, pre { margin: 0; padding: 0; }
h1 { font-size: 24px; font-weight: 640; letter-spacing: -0.015em; line-height: 1.3; }
h2 { font-size: 15px; font-weight: 620; }
ul { list-style: none; }
a { color: var(--accent); }
code, pre { font-family: var(--mono); font-size: 12.5px; white-space: pre-wrap; overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.muted { color: var(--muted); }
.card, .note { display: grid; gap: 10px; min-width: 0; padding: 16px; border-radius: 10px; }
.card { border: 1px solid var(--line); background: var(--raised); }
.note { background: var(--info-soft); }
.note.good { background: var(--good-soft); }
.note.bad { background: var(--bad-soft); }
dl { display: grid; gap: 6px 16px; grid-template-columns: max-content minmax(0, 1fr); }
dt { color: var(--muted); }
form { display: flex; flex-wrap: wrap; gap: 8px; }
button { min-height: 36px; padding: 6px 14px; border: 1px solid var(--line-strong); border-radius: var(--radius); background: var(--raised); color: var(--text); font: inherit; font-weight: 520; cursor: pointer; }
button:hover { background: var(--hover); }
`
