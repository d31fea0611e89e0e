import type { HttpResponse } from '@lead-distribution/http'

/** Text made safe to stand in HTML, between tags or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}

/** A page of the sandbox: no script, no style and no frame from elsewhere. */
export function htmlReply(status: number, title: string, body: string): HttpResponse {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem; color: #1c2733; }
  .note { background: #fff4d6; border: 1px solid #e8c766; border-radius: 6px; padding: .5rem .75rem; }
  button { font: inherit; padding: .4rem .8rem; margin: .25rem .25rem .25rem 0; cursor: pointer; }
  iframe { width: 100%; height: 5rem; border: 1px solid #ccd4dc; border-radius: 6px; }
  dt { font-weight: 600 } dd { margin: 0 0 .5rem; }
</style>
${body}
</html>`,
  }
}
