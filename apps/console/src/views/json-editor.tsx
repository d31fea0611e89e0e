import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  startCompletion,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, nextDiagnostic, setDiagnostics } from '@codemirror/lint'
import { Annotation, EditorState } from '@codemirror/state'
import { EditorView, hoverTooltip, keymap, type Tooltip } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { type Ref, useEffect, useEffectEvent, useImperativeHandle, useRef } from 'react'
import { cursorAt, locateField, placeAt } from '../data/json-places.ts'
import { fieldAt, leadShape } from '../data/lead-shape.ts'
import { type Field, fieldsOf, schemaAt } from '../data/schema.ts'

/** A problem in the text: with a field, or with the syntax at an offset. */
export type JsonProblem =
  | { readonly field: string; readonly issue: string }
  | { readonly offset: number; readonly issue: string }

/** Moves the focus to a field in the text. */
export interface JsonEditorHandle {
  goTo(field: string): void
}

/**
 * Edits the JSON of a lead, with completion, the meaning of each field on hover, and problems in place. Tab leaves it. It
 * lives in a shadow root, where the library adopts style sheets. Elsewhere it would add a style element, which the page's
 * policy forbids.
 */
export function JsonEditor(props: {
  readonly label: string
  readonly text: string
  readonly problems: readonly JsonProblem[]
  readonly onChange: (text: string) => void
  readonly ref: Ref<JsonEditorHandle>
}) {
  const { label, text, problems } = props
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorView>(null)
  /** The reported texts that have not come back as `value` yet, oldest first. Typing may be ahead of them. */
  const reported = useRef<string[]>([])
  const onChange = useEffectEvent((changed: string) => props.onChange(changed))
  const initialText = useEffectEvent(() => text)
  useEffect(() => {
    if (!host.current) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const extensions = [
      leadJson,
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      EditorView.updateListener.of(({ docChanged, state, transactions }) => {
        if (!docChanged || transactions.some(each => each.annotation(fromOutside))) return
        const changed = state.doc.toString()
        reported.current.push(changed)
        onChange(changed)
      }),
    ]
    const view = new EditorView({ root, parent: root, state: EditorState.create({ doc: initialText(), extensions }) })
    editor.current = view
    return () => view.destroy()
  }, [label])
  useEffect(() => {
    const view = editor.current
    if (!view) return
    const place = reported.current.indexOf(text)
    reported.current.splice(0, place + 1)
    const current = view.state.doc.toString()
    if (place < 0 && current !== text)
      view.dispatch({ changes: changeOf(current, text), annotations: fromOutside.of(true) })
  }, [text])
  useEffect(() => {
    const view = editor.current
    // Typing may be ahead of the text with these problems. The newer text's problems follow.
    if (view?.state.doc.toString() === text)
      view.dispatch(setDiagnostics(view.state, diagnosticsOf(view.state, problems)))
  }, [text, problems])
  useImperativeHandle(props.ref, () => ({
    goTo(field) {
      const view = editor.current
      if (!view) return
      const range = locateField(view.state, field)
      view.focus()
      if (range) view.dispatch({ selection: { anchor: range.start, head: range.end }, scrollIntoView: true })
    },
  }))
  return <div className="json-editor" ref={host} />
}

/** Marks a change that comes from the page, such as from a field of the form. */
const fromOutside = Annotation.define<boolean>()

/** Returns the change between two texts, so that the cursor keeps its position. */
function changeOf(before: string, after: string) {
  const shorter = Math.min(before.length, after.length)
  let from = 0
  while (from < shorter && before[from] === after[from]) from++
  let same = 0
  while (same < shorter - from && before.at(-1 - same) === after.at(-1 - same)) same++
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) }
}

function diagnosticsOf(state: EditorState, problems: readonly JsonProblem[]): Diagnostic[] {
  const { length } = state.doc
  return problems.map(problem => {
    const place = 'field' in problem ? locateField(state, problem.field) : undefined
    const offset = 'offset' in problem ? Math.min(problem.offset, length) : 0
    const from = place?.start ?? Math.max(0, offset - 1)
    const to = place?.end ?? Math.min(length, Math.max(offset, from + 1))
    return { from, to, severity: 'error' as const, message: problem.issue }
  })
}

/** The meaning of a field and the values it accepts. */
function describe(field: Field): HTMLElement {
  const element = document.createElement('div')
  element.className = 'field-note'
  const heading = element.appendChild(document.createElement('div'))
  heading.append(
    Object.assign(document.createElement('strong'), { textContent: nameOf(field) }),
    ` ${formatAccepts(field)}`,
  )
  for (const text of [field.schema.description, field.schema.enum?.join(', ')])
    if (text) element.append(Object.assign(document.createElement('p'), { textContent: text.replaceAll('`', '') }))
  return element
}

/** The values that a field accepts: `integer, required`. */
function formatAccepts({ schema, required }: Field): string {
  const { type, format, nullable } = schema
  const word = schema.enum ? 'enum' : type === 'string' ? 'text' : type === 'array' ? 'list' : type
  return [format ?? word, nullable && 'or null', required && 'required'].filter(Boolean).join(', ')
}

const nameOf = ({ path }: Field) => path.at(-1) ?? ''

function hoveredField(view: EditorView, offset: number): Tooltip | null {
  const place = placeAt(view.state, offset)
  const field = place && fieldAt(place.path)
  if (!field) return null
  return { pos: place.start, end: place.end, above: true, create: () => ({ dom: describe(field) }) }
}

function completeLead({ state, pos, explicit }: CompletionContext): CompletionResult | null {
  const cursor = cursorAt(state, pos)
  if (!cursor || (!explicit && cursor.start === cursor.end)) return null
  const options =
    cursor.kind === 'name'
      ? fieldsOf(schemaAt(leadShape, cursor.path)).flatMap(field =>
          cursor.siblings.includes(nameOf(field)) ? [] : [nameCompletion(field)],
        )
      : valuesOf(fieldAt(cursor.path)).map(valueCompletion)
  if (options.length === 0) return null
  const from = state.sliceDoc(cursor.start, cursor.start + 1) === '"' ? cursor.start + 1 : cursor.start
  return { from, options, validFor: /^\w*$/ }
}

function nameCompletion(field: Field): Completion {
  const name = nameOf(field)
  return {
    label: name,
    type: 'property',
    detail: formatAccepts(field),
    boost: field.required ? 1 : 0,
    info: () => describe(field),
    apply: view => {
      complete(view, rest => {
        if (/^\s*:/.test(rest)) return [JSON.stringify(name), '']
        const [before, after] = skeletonOf(field)
        return [`${JSON.stringify(name)}: ${before}`, /^\s*"/.test(rest) ? `${after},` : after]
      })
      if (valuesOf(field).length > 0) startCompletion(view)
    },
  }
}

/**
 * Replaces the text at the cursor with the texts before and after the new cursor. They may depend on the text that
 * follows.
 */
function complete(view: EditorView, textsFor: (rest: string) => readonly [before: string, after: string]): void {
  const { state } = view
  const cursor = cursorAt(state, state.selection.main.head)
  if (!cursor) return
  const [before, after] = textsFor(state.sliceDoc(cursor.end))
  view.dispatch({
    changes: { from: cursor.start, to: cursor.end, insert: before + after },
    selection: { anchor: cursor.start + before.length },
    userEvent: 'input.complete',
  })
}

/** The text around the cursor after a field's name. */
function skeletonOf({ schema }: Field): readonly [string, string] {
  if (schema.type === 'object') return ['{', '}']
  if (schema.type === 'array') return ['[', ']']
  return schema.type === 'string' && !schema.enum ? ['"', '"'] : ['', '']
}

/** The values to choose from, as JSON. */
function valuesOf(field: Field | undefined): readonly string[] {
  if (!field) return []
  const { type, enum: values = [], nullable } = field.schema
  return [
    ...values.map(value => JSON.stringify(value)),
    ...(type === 'boolean' ? ['true', 'false'] : []),
    ...(nullable ? ['null'] : []),
  ]
}

function valueCompletion(value: string): Completion {
  return {
    label: value.replaceAll('"', ''),
    type: 'enum',
    apply: view => complete(view, () => [value, '']),
  }
}

const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: tags.number, color: 'var(--info)' },
  { tag: [tags.bool, tags.null], color: 'var(--warn)' },
])

/** The page's tokens: custom properties reach into the shadow root, and the page's classes don't. */
const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', fontSize: '12px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 10px' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--bad-soft)' },
  // The library underlines problems with an image in a data URL, which the page's policy forbids.
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textUnderlineOffset: '3px',
  },
  '.cm-lintPoint::after': { display: 'none' },
  '.cm-tooltip': {
    maxWidth: 'min(360px, 90vw)',
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--raised)',
    boxShadow: '0 8px 24px var(--shadow)',
    fontFamily: 'var(--sans)',
    overflow: 'hidden',
  },
  '.cm-diagnostic': { padding: '6px 10px', borderLeft: '3px solid var(--bad)' },
  '.field-note': { padding: '6px 10px', color: 'var(--text)' },
  '.field-note p': { margin: '4px 0 0', color: 'var(--muted)', overflowWrap: 'anywhere' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '220px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 10px', color: 'var(--text)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-fill)',
    color: 'var(--on-accent)',
  },
  '.cm-completionDetail': { marginLeft: '10px', color: 'var(--muted)', fontStyle: 'normal' },
  'li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-completionMatchedText': { fontWeight: '650', textDecoration: 'none' },
  '.cm-completionInfo': { padding: '0' },
})

/** The editor's extensions, shared by all editors. */
const leadJson = [
  json(),
  history(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  autocompletion({ override: [completeLead], icons: false }),
  hoverTooltip(hoveredField),
  syntaxHighlighting(colors),
  EditorView.lineWrapping,
  look,
  // Tab is not bound: it leaves the editor.
  keymap.of([
    ...closeBracketsKeymap,
    ...completionKeymap,
    { key: 'F8', run: nextDiagnostic },
    ...historyKeymap,
    ...defaultKeymap,
  ]),
]
