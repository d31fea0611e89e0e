import { consoleTokens } from '@lead-distribution/simulator'

/** Returns the style of the reference: that of Swagger UI in the console's colors and typeface. */
export function referenceStyle(typefaceUrl: string | undefined): string {
  const face =
    typefaceUrl === undefined
      ? ''
      : `@font-face { font-family: "Geist"; font-weight: 100 900; font-display: swap; src: url("${typefaceUrl}") format("woff2") }\n`
  return `${face}${consoleTokens}${overrides}`
}

// Swagger UI sets each of these at several places, and again for dark pages: these outrank all of them.
const overrides = `
html[data-theme][data-theme], html[data-theme] body { margin: 0; background: var(--bg) }
html[data-theme][data-theme] .swagger-ui.swagger-ui.swagger-ui {
  background: var(--bg);
  &, & :is(h1, h2, h3, h4, h5, p, a, label, table, th, td, li, button, input, select, textarea, .btn, .tab li,
    .opblock-tag, .opblock-summary-method, .opblock-summary-description, .parameter__name, .response-col_status) {
    font-family: var(--sans);
  }
  & :is(code, pre, .opblock-summary-path, .opblock-summary-path a, .model, .prop-type, .parameter__type, .microlight) {
    font-family: var(--mono);
  }
  &, & :is(h1, h2, h3, h4, h5, p, label, table, th, td, li, .title, .opblock-tag, .opblock-tag small, .tab li,
    .opblock-summary-path, .opblock-summary-path a, .opblock-summary-description, .opblock-description-wrapper p,
    .parameter__name, .response-col_status, .response-col_links, .model, .model-title, .prop-type, .parameter__type,
    .parameter__in, .parameter__extension, section.models h4, section.models h4 span, .dialog-ux h3, .dialog-ux h4, .dialog-ux p,
    .btn, .markdown p, .renderedMarkdown p, .renderedMarkdown code, .info .base-url, .scheme-container .schemes > label, .json-schema-2020-12__title,
    .json-schema-2020-12-property, .json-schema-2020-12-keyword__name, .json-schema-2020-12-accordion, .opblock-control-arrow,
  .examples__section-header, .examples-select__section-label) {
    color: var(--text);
  }
  & :is(.parameter__type, .parameter__in, .opblock-tag small, .info .base-url, .json-schema-2020-12__attribute) { color: var(--muted) }
  & :is(a, .info a, .markdown a, .renderedMarkdown a) { color: var(--accent) }
  & .topbar { padding: 8px 0; border-bottom: 1px solid var(--line); background: var(--sunken) }
  & .topbar :is(.link, .dark-mode-toggle) { display: none }
  & .topbar .download-url-wrapper .select-label { color: var(--text) }
  & .topbar .download-url-wrapper .select-label select { border: 1px solid var(--line) }
  & .scheme-container { border-block: 1px solid var(--line); background: var(--raised); box-shadow: none }
  & :is(input, select, textarea, .btn, .dialog-ux .modal-ux) {
    border-color: var(--line); background-color: var(--raised); box-shadow: none; color: var(--text);
  }
  & :is(.btn.execute, .btn.execute:hover) { border-color: transparent; background: var(--accent-fill); color: var(--on-accent) }
  & .btn.authorize { border-color: var(--accent); color: var(--accent) }
  & .btn.authorize svg { fill: var(--accent) }
  & :is(.opblock-tag, .opblock .opblock-section-header, section.models, section.models.is-open h4, table thead tr :is(th, td)) {
    border-color: var(--line);
  }
  & .opblock { border: 1px solid var(--line); border-radius: var(--radius); background: var(--raised); box-shadow: none }
  & .opblock :is(.opblock-summary, .opblock-section-header) { border-color: var(--line); box-shadow: none }
  & .opblock .tab-header .tab-item.active h4 span::after { background: var(--accent) }
  & .opblock .opblock-section-header, & section.models .model-container { background: var(--sunken) }
  & .opblock .opblock-summary-method { border-radius: var(--radius-sm); background: var(--accent-fill); color: var(--on-accent); text-shadow: none }
  & .opblock.opblock-get .opblock-summary-method { background: var(--accent-soft); color: var(--accent) }
  & .opblock.opblock-delete .opblock-summary-method { background: var(--bad-soft); color: var(--bad) }
  & :is(svg:not(.locked, .unlocked), .arrow, .authorization__btn svg) { fill: var(--muted) }
  & section.models { border: 1px solid var(--line) }
  & .model-box { background: none }
  & :is(.highlight-code > .microlight, .opblock-body pre.microlight) {
    border: 1px solid var(--line); background: var(--sunken) !important; color: var(--text) !important;
  }
  & .info .title small { background: var(--muted) }
  & .info .title small.version-stamp { background: var(--good-mark) }
  & .info .title small pre { color: var(--bg) }
  & :is(.markdown code, .renderedMarkdown code, .info code) { background: var(--sunken); color: var(--text) }
}
`
