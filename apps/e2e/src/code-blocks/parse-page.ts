import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type MdastNode, markdownToMdast } from 'satteri'
import { root } from '../architecture/sources.ts'

/** A documentation page. */
export interface Page {
  /** Its path in the repository. */
  readonly path: string
  readonly markdown: string
}

/** A step of the reader. `line` is its line on the page, from 1. `tab` is the language if the reader chooses one. */
export type Step = { readonly line: number; readonly tab?: string } & (
  | { readonly kind: 'command'; readonly code: string; readonly exit: number; readonly name?: string }
  /** A command that keeps running in a separate terminal. */
  | { readonly kind: 'terminal'; readonly code: string }
  /** Ctrl-C in the terminal whose command contains the text. */
  | { readonly kind: 'stop'; readonly command: string }
  | { readonly kind: 'file'; readonly name: string; readonly code: string; readonly language: string }
  /** The output of the last command, or of the last terminal. */
  | {
      readonly kind: 'output'
      readonly format: 'json' | 'text'
      readonly of: 'command' | 'terminal'
      readonly text: string
      /** True if the reader may have to type the command again. */
      readonly isLate: boolean
    }
  /** A button on the page at the last `redirect_url`. */
  | { readonly kind: 'press'; readonly button: string }
  | { readonly kind: 'left'; readonly reason: string }
)

/** The comment on a page that sets the clock, which makes times comparable by value. */
export const exactTimes = '<!-- ci: times are exact -->'

/** The annotations in the comments above a block. */
interface Remarks {
  name?: string
  exit?: number
  staysRunning?: boolean
  ofTerminal?: boolean
  isLate?: boolean
  leftBecause?: string
}

/** Parses a page into its reader's steps. Throws on an unknown block or test comment, so that nothing is skipped. */
export function parsePage({ path, markdown }: Page): Step[] {
  const lines = markdown.split('\n')
  const steps: Step[] = []
  let inTabs = false
  let remarks: Remarks = {}

  function visit(node: MdastNode): void {
    const line = node.position?.start.line ?? 0
    if (node.type === 'html') {
      readComment(node.value.trim(), line)
      return
    }
    if (node.type === 'code') {
      if (!/^\s*(`{3,}|~{3,})\s*$/.test(lines[(node.position?.end.line ?? 0) - 1] ?? ''))
        throw fault(line, 'begin and end the block with ```.')
      const step = stepOf(node.lang ?? '', node.value, remarks)
      if (!step)
        throw fault(line, `a block of ${node.lang} needs a name: in its first comment, or as \`<!-- name -->\`.`)
      steps.push({ ...step, line, ...(inTabs && { tab: node.lang ?? '' }) })
    } else {
      const isRoot = node.type === 'root'
      if (!isRoot) forbidRemarks(line)
      if ('children' in node) node.children.forEach(visit)
      if (isRoot) forbidRemarks(lines.length)
    }
    remarks = {}
  }

  function forbidRemarks(line: number): void {
    const { name: _, ...waiting } = remarks
    if (Object.keys(waiting).length > 0) throw fault(line, 'the comment before this line belongs right before a block.')
  }

  function readComment(html: string, line: number): void {
    const [, comment = ''] = /^<!-- (.+) -->$/.exec(html) ?? []
    if (comment === 'tabs' || comment === '/tabs') inTabs = comment === 'tabs'
    else if (/^[\w.-]+$/.test(comment) && comment !== 'run') remarks.name = comment
    if (!/^<!--\s*ci:/.test(html) || html === exactTimes) return
    const [, said = html] = /^ci: (.+)$/.exec(comment) ?? []
    const [, verb, rest = ''] = /^(press|stop|exit|not run, because) (.+)$/.exec(said) ?? []
    if (verb === 'press') steps.push({ kind: 'press', line, button: rest })
    else if (verb === 'stop') steps.push({ kind: 'stop', line, command: rest })
    else if (verb === 'exit') remarks.exit = Number(rest)
    else if (verb) remarks.leftBecause = rest
    else if (said === 'stays running') remarks.staysRunning = true
    else if (said === 'in the terminal that stays running') remarks.ofTerminal = true
    else if (said === 'within moments') remarks.isLate = true
    else throw fault(line, `tests do not know "${said}".`)
  }

  const fault = (line: number, what: string) => new Error(`${path}, line ${line}: ${what}`)
  visit(markdownToMdast(markdown))
  return steps
}

type StepOfBlock = Extract<Step, { kind: 'command' | 'terminal' | 'file' | 'output' | 'left' }>
type WithoutLine<S> = S extends unknown ? Omit<S, 'line' | 'tab'> : never

function stepOf(language: string, code: string, remarks: Remarks): WithoutLine<StepOfBlock> | undefined {
  const { name, exit = 0, isLate = false } = remarks
  if (remarks.leftBecause !== undefined) return { kind: 'left', reason: remarks.leftBecause }
  if (language === 'json' || language === 'text')
    return { kind: 'output', format: language, of: remarks.ofTerminal ? 'terminal' : 'command', text: code, isLate }
  if (language === 'sh' && !code.startsWith('#!'))
    return remarks.staysRunning ? { kind: 'terminal', code } : { kind: 'command', code, exit, ...(name && { name }) }
  const file = name && /^[jt]s$/.test(language) ? `${name}.${language}` : firstComment.exec(code)?.[1]
  return file === undefined ? undefined : { kind: 'file', name: file, code, language }
}

/** Returns the file name in a block's first comment. */
const firstComment = /^(?:#!.*\n)?(?:<\?php\s)?(?:#|\/\/) ([\w./-]+\.(?:ts|mjs|php|py|java|rb|go|sh|cgi|yml))(?=[\s:])/

/** Returns the pages that match a pattern, without the overview pages. */
export const pagesIn = (pattern: string): Page[] =>
  globSync(pattern, { cwd: root })
    .filter(path => !/^docs\/\w+\/README/.test(path))
    .sort()
    .map(readPage)

export const readPage = (path: string): Page => ({ path, markdown: readFileSync(join(root, path), 'utf8') })

/** The files that a page shows. */
export const filesOf = (page: Page) => parsePage(page).filter(step => step.kind === 'file')

/** The languages that a page's reader chooses from. Just undefined if the page has no choice. */
export const languagesOf = (page: Page): readonly (string | undefined)[] => {
  const tabs = new Set(parsePage(page).flatMap(({ tab }) => tab ?? []))
  return tabs.size > 0 ? [...tabs] : [undefined]
}
