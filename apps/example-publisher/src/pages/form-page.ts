import type { FieldIssue } from '@lead-distribution/publisher-sdk'
import { consentDocuments, type FormField, formFields } from '../form-fields.ts'
import { html, type Markup, page } from './html.ts'

export interface FormContent {
  /** Names this one form: however often it is sent, it is one application. */
  id: string
  /** The page that the customer arrived at, with its campaign parameters. */
  landing: string
  /** The customer's input so far, by field. */
  values: Readonly<Record<string, string>>
  /** The corrections to make, by field. */
  issues: Readonly<Record<string, string>>
}

/** The issues that are about fields of the form, in its order, by the field's name and in a text for its customer. */
export function formIssues(issues: readonly FieldIssue[]): Record<string, string> {
  const consents = Object.entries(consentDocuments).map(([name, { link }]) => ({
    name,
    path: `consents.${name}`,
    label: `The ${link}`,
  }))
  const shown = [...Object.values(formFields).flat(), ...consents].flatMap(({ name, path, label }) => {
    const found = issues.find(({ field }) => field === path)
    return found ? [[name, `${label} ${found.issue}.`] as const] : []
  })
  return Object.fromEntries(shown)
}

/** The page with the form. `novalidate`: a browser's own bubbles vanish, and not every reader hears them. */
export function formPage(content: FormContent): string {
  const groups = Object.entries(formFields).map(
    ([legend, fields]) =>
      html`<fieldset><legend>${legend}</legend>${fields.map(field => fieldMarkup(field, content))}</fieldset>`,
  )
  const body = html`
<h1>Apply for a loan</h1>
<p class="soft">One form, many lenders. You hear at once whether one of them takes your application.</p>
${summary(content)}
<form method="post" action="/apply" novalidate>
  <input type="hidden" name="application" value="${content.id}">
  <input type="hidden" name="landing" value="${content.landing}">
  ${groups}
  <fieldset><legend>Your consent</legend>${consents(content)}</fieldset>
  <button>Apply</button>
</form>`
  return page('Apply for a loan', body)
}

function summary({ issues }: FormContent): Markup | undefined {
  const links = Object.entries(issues).map(([name, issue]) => html`<li><a href="#${name}">${issue}</a></li>`)
  if (links.length === 0) return undefined
  return html`<div class="summary" role="alert"><strong>Please correct the marked fields:</strong><ul>${links}</ul></div>`
}

function fieldMarkup(
  { name, label, input, autocomplete, bounds, unit, optional }: FormField,
  content: FormContent,
): Markup {
  const value = content.values[name] ?? ''
  const hint = optional ? 'optional' : unit
  const common = html`id="${name}" name="${name}" ${!optional && html`required`} ${invalid(name, content)}`
  const control =
    typeof input === 'string'
      ? html`<input type="${input}" ${common} value="${value}" autocomplete="${autocomplete ?? 'off'}"
          ${bounds && html`min="${bounds.min}"`} ${bounds?.max !== undefined && html`max="${bounds.max}"`}>`
      : html`<select ${common}><option value="">Choose</option>${input.map(
          each => html`<option value="${each}" ${each === value && html`selected`}>${readable(each)}</option>`,
        )}</select>`
  return html`<div><label for="${name}">${label} ${hint && html`<span class="soft">(${hint})</span>`}</label>
    ${control}${issue(name, content)}</div>`
}

function consents(content: FormContent): Markup[] {
  return Object.entries(consentDocuments).map(
    ([name, { path, text, link, version }]) => html`<div class="wide consent">
      <input type="checkbox" id="${name}" name="${name}" value="accepted"
        ${content.values[name] === 'accepted' && html`checked`} ${invalid(name, content)}>
      <label for="${name}">${text} <a href="${path}">${link}</a> <span class="soft">(${version})</span></label>
      ${issue(name, content)}</div>`,
  )
}

function invalid(name: string, { issues }: FormContent): Markup | undefined {
  return issues[name] === undefined ? undefined : html`aria-invalid="true" aria-describedby="${name}-issue"`
}

function issue(name: string, { issues }: FormContent): Markup | undefined {
  return issues[name] === undefined ? undefined : html`<p class="issue" id="${name}-issue">${issues[name]}</p>`
}

function readable(value: string): string {
  return `${value.charAt(0).toUpperCase()}${value.slice(1).replaceAll('_', ' ')}`
}
