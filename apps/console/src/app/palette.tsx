import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type RefObject, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { choices } from '../data/draft.ts'
import { countLeads, type Found, findEntries, isSearchable } from '../data/find.ts'
import { formatCount, formatWord } from '../data/format.ts'
import { useDebounced } from '../data/input-values.ts'
import { useAction, useClockIfRead, useTenant, useTenants } from '../data/live.ts'
import { sandboxUntil } from '../data/sandbox.ts'
import { ErrorNote } from '../ui/elements.tsx'
import { Modal } from '../ui/modal.tsx'
import { theme } from '../ui/stored-choice.ts'

/** A view to jump to. */
export interface ViewLink {
  readonly path: string
  readonly label: string
}

/** A target or an action. */
interface Option {
  readonly id: string
  readonly label: string
  readonly detail?: string
  /** A path to show, or an action. */
  readonly run: string | (() => void)
  /** True for a list of all results. */
  readonly isAll?: boolean
}

interface Group {
  readonly title: string
  /** The total number of results, if it is known and not all are shown. */
  readonly count?: string | undefined
  readonly options: readonly Option[]
}

/** The number of options per group. Typing finds more. */
const maxShown = 8

/** A search over everything of the page: views, actions, tenants, leads, requests and callbacks. */
export function Palette(props: {
  readonly views: readonly ViewLink[]
  readonly onClose: () => void
  /** Shows another dialog instead. */
  readonly onShow: (dialog: 'keys' | 'reset') => void
  /** The keys pressed while this was loading. */
  readonly typed: RefObject<string>
}) {
  const { views, onClose, onShow, typed } = props
  const tenant = useTenant()
  const [[begun, ...entered]] = useState(() => typed.current.split('\n'))
  const [text, setText] = useState(begun ?? '')
  const hasJumped = useRef(false)
  const navigate = useNavigate()
  const words = text.trim().toLowerCase()
  const tenants = useTenants()
  const names = tenants.data?.tenants.map(each => each.tenant) ?? []
  const entries = useEntries(words, [tenant, ...names.filter(name => name !== tenant).reverse()])
  const actions = useActions(onShow)
  const viewOptions = views.map(({ path, label }) => ({ id: `view-${path}`, label, run: `/${tenant}/${path}` }))
  const tenantOptions = names.map(name => ({ id: `tenant-${name}`, label: name, run: `/${name}/leads` }))
  const groups = [
    { title: 'Views', options: matching(words, viewOptions) },
    { title: 'Actions', options: matching(words, actions) },
    { title: 'Submit a test lead', options: words === '' ? [] : matching(words, testLeadsOf(tenant)) },
    { title: 'Tenants', options: words === '' ? [] : matching(words, tenantOptions) },
    ...foundGroups(entries.data ?? [], tenant, entries.count),
  ]
    .filter(({ options }) => options.length > 0)
    .toSorted((one, other) => Number(isExact(words, other)) - Number(isExact(words, one)))
  const run = ({ run: target }: Option) => {
    onClose()
    if (typeof target === 'function') {
      target()
      return
    }
    hasJumped.current = true
    void navigate(target)
  }
  return (
    <Modal
      title="Jump to"
      onClose={onClose}
      // The focus moves to the new view, not back.
      onClosed={() => hasJumped.current && document.getElementById('content')?.focus()}
    >
      <Combobox
        text={text}
        onType={setText}
        groups={groups}
        onRun={run}
        isEntered={entered.length > 0}
        isSearching={entries.isSearching}
      />
      <ErrorNote error={entries.error ?? tenants.error} />
      <output className="muted">{statusOf(words, groups, entries.isSearching)}</output>
    </Modal>
  )
}

function statusOf(words: string, groups: readonly Group[], isSearching: boolean): string {
  if (isSearching) return 'Searching leads, requests and callbacks…'
  const count = groups.flatMap(({ options }) => options).filter(({ isAll }) => !isAll).length
  if (count === 0)
    return 'Nothing found. Search leads by e-mail address, name, external_id or whole id, and requests by an id such as r42.'
  if (words === '')
    return 'Type to find a test lead, a tenant, a lead by its customer, or a lead, request or callback by its id.'
  return formatCount(count, 'result')
}

/** The keys that move to another option. */
const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** An input with a list of options to move through with the arrow keys. */
function Combobox(props: {
  readonly text: string
  readonly onType: (text: string) => void
  readonly groups: readonly Group[]
  readonly onRun: (option: Option) => void
  /** True if Enter was pressed before there was anything to choose. */
  readonly isEntered: boolean
  readonly isSearching: boolean
}) {
  const { text, groups, onRun, isSearching } = props
  const [wanted, setWanted] = useState<string>()
  const [isEntered, setEntered] = useState(props.isEntered)
  const id = useId()
  const options = groups.flatMap(each => each.options)
  const place = Math.max(
    0,
    options.findIndex(option => option.id === wanted),
  )
  const active = options[place]
  const activeId = active && `${id}-${active.id}`
  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' })
  }, [activeId])
  const runEntered = useEffectEvent(() => active && onRun(active))
  useEffect(() => {
    if (isEntered && (activeId || !isSearching)) {
      setEntered(false)
      runEntered()
    }
  }, [isEntered, activeId, isSearching])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (step && active) setWanted(options.at((place + step) % options.length)?.id)
    else if (event.key === 'Enter' && active) onRun(active)
    else if (event.key === 'Enter') setEntered(true)
    else return
    event.preventDefault()
  }
  return (
    <>
      <input
        className="palette-input"
        role="combobox"
        aria-label="Jump to"
        aria-expanded={options.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={activeId}
        autoComplete="off"
        spellCheck={false}
        placeholder="A view, an action, a customer, an id"
        value={text}
        onChange={({ target }) => {
          setWanted(undefined)
          setEntered(false)
          props.onType(target.value)
        }}
        onKeyDown={onKeyDown}
      />
      <div className="palette-results stack" role="listbox" id={`${id}-list`} aria-label="Results" tabIndex={-1}>
        {groups.map(({ title, count, options: shown }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place in a list of options.
          <div key={title} role="group" aria-label={`${title}${count ?? ''}`}>
            <div className="palette-title" aria-hidden="true">
              {title}
              {count}
            </div>
            {shown.map(option => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys, as in every combobox.
              // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus.
              <div
                key={option.id}
                id={`${id}-${option.id}`}
                className="palette-option line"
                role="option"
                aria-selected={option === active}
                onClick={() => onRun(option)}
              >
                <span>{option.label}</span>
                {option.detail && <span className="muted">{option.detail}</span>}
              </div>
            ))}
          </div>
        ))}
      </div>
    </>
  )
}

/** Returns true if an option in the group matches the typed text exactly. */
const isExact = (words: string, { options }: Group) => options.some(({ label }) => label.toLowerCase() === words)

/** Returns the options whose label contains all words. The exact match comes first, then those that start with the words. */
function matching(words: string, options: readonly Option[]): readonly Option[] {
  if (words === '') return options
  const rank = ({ label }: Option) => {
    const name = label.toLowerCase()
    return name === words ? 0 : name.startsWith(words) ? 1 : 2
  }
  return options
    .filter(({ label }) => words.split(/\s+/).every(word => label.toLowerCase().includes(word)))
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, maxShown)
}

function testLeadsOf(tenant: string): readonly Option[] {
  return choices.map(({ id, label }) => ({
    id: `lead-${id}`,
    label: `Submit: ${formatWord(label)}`,
    run: `/${tenant}/submit?lead=${encodeURIComponent(id)}`,
  }))
}

function useActions(onShow: (dialog: 'keys' | 'reset') => void): readonly Option[] {
  const { data } = useClockIfRead()
  const freeze = useAction(control => control.clock.freeze(), 'The clock is frozen.')
  const resume = useAction(control => control.clock.resume(), 'The clock is running.')
  const advance = useAction((control, by: string) => control.clock.advance({ by }), 'The clock is advanced.')
  const isFrozen = data?.mode === 'frozen'
  return [
    isFrozen
      ? { id: 'resume', label: 'Resume the clock', run: () => resume.mutate() }
      : { id: 'freeze', label: 'Freeze the clock', run: () => freeze.mutate() },
    { id: 'advance-hour', label: 'Advance the clock by 1 hour', run: () => advance.mutate('PT1H') },
    { id: 'advance-day', label: 'Advance the clock by 1 day', run: () => advance.mutate('P1D') },
    { id: 'reset', label: 'Reset the tenant…', run: () => onShow('reset') },
    ...theme.values.map(value => ({
      id: `theme-${value}`,
      label: `Switch to the ${value} theme`,
      run: () => theme.change(value),
    })),
    { id: 'keys', label: 'Show the keys', run: () => onShow('keys') },
  ]
}

/** Returns the groups of a search's results, with the total number of leads if only some are shown. */
function foundGroups(found: readonly Found[], tenant: string, leads: string | undefined): readonly Group[] {
  return (['lead', 'request', 'callback'] as const).map(kind => {
    const options = found
      .filter(each => each.kind === kind)
      .map(each => ({
        id: `${each.tenant}-${each.path}`,
        label: each.label,
        detail: each.tenant === tenant ? each.detail : `${each.detail} · ${each.tenant}`,
        run: `/${each.tenant}/${each.path}`,
        isAll: each.path.includes('?'),
      }))
    const count =
      kind === 'lead' && leads !== undefined
        ? `, ${options.filter(({ isAll }) => !isAll).length} of ${leads}`
        : undefined
    return { title: formatWord(`${kind}s`), count, options }
  })
}

/** Searches the sandbox for a text once typing pauses. Cancels outdated searches. */
function useEntries(words: string, tenants: readonly string[]) {
  const settled = useDebounced(words)
  const key = [settled, tenants[0], tenants.length]
  const isWanted = settled === words && isSearchable(settled)
  const { data, error, isFetching } = useQuery({
    queryKey: ['find', ...key],
    queryFn: ({ signal }) => findEntries(sandboxUntil(signal), settled, tenants),
    enabled: isWanted,
    gcTime: 0,
  })
  const all = data?.find(({ path }) => path.startsWith('leads?'))
  const count = useQuery({
    queryKey: ['count-found', ...key],
    queryFn: ({ signal }) => countLeads(sandboxUntil(signal).control(all?.tenant ?? ''), settled),
    enabled: isWanted && all !== undefined,
    gcTime: 0,
  })
  const isSearching = isFetching || (settled !== words && isSearchable(words))
  return { data, error, count: all && count.data, isSearching }
}
