import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../architecture/sources.ts'

/** The steps of a reader of a guide, in the order of the page. `line` is its number, from 1. */
export type Step = { readonly line: number } & (
  | { readonly kind: 'command'; readonly code: string; readonly exit: number }
  /** A command that stays running in its own terminal. */
  | { readonly kind: 'terminal'; readonly code: string }
  /** Ctrl-C in the terminal of a command that stays running: that whose block contains the text. */
  | { readonly kind: 'stop'; readonly command: string }
  | { readonly kind: 'file'; readonly name: string; readonly code: string }
  /** The output of a command: that of the step before, or of the terminal that stays running. */
  | {
      readonly kind: 'output'
      readonly format: 'json' | 'text'
      readonly of: 'command' | 'terminal'
      readonly text: string
      /** True if the command shows it only a moment later: a reader types it again. */
      readonly isLate: boolean
    }
  /** A button that the reader presses on the page of the last `redirect_url`. */
  | { readonly kind: 'press'; readonly button: string }
  | { readonly kind: 'left'; readonly reason: string }
)

/** A guide as its reader follows it. */
export interface Guide {
  readonly steps: readonly Step[]
  /** Times are compared by value: the guide says so where it sets the clock itself. */
  readonly exactTimes: boolean
}

/** The content of a comment `<!-- ci: … -->` about the block after it. */
interface Remark {
  exit?: number
  staysRunning?: boolean
  ofTerminal?: boolean
  isLate?: boolean
  leftBecause?: string
}

/** Reads a guide from its Markdown. Throws where a block or a remark is of no kind that the runner knows. */
export function parseGuide(markdown: string): Guide {
  const steps: Step[] = []
  let exactTimes = false
  let remark: Remark = {}
  const lines = markdown.split('\n')
  for (let index = 0; index < lines.length; index++) {
    const text = lines[index] ?? ''
    const line = index + 1
    const said = /^<!-- ci: (.*) -->$/.exec(text)?.[1]
    const press = said && /^press (.+)$/.exec(said)?.[1]
    const stopped = said && /^stop (.+)$/.exec(said)?.[1]
    if (said === 'times are exact') exactTimes = true
    else if (press) steps.push({ kind: 'press', line, button: press })
    else if (stopped) steps.push({ kind: 'stop', line, command: stopped })
    else if (said !== undefined) remark = { ...remark, ...readRemark(said, line) }
    if (!/^\s*```/.test(text)) continue
    const language = /^```(\w+)$/.exec(text)?.[1]
    const end = lines.indexOf('```', index + 1)
    if (!language || end < 0)
      throw new Error(`Line ${line}: begin a block with \`\`\` and its language, not indented, and end it.`)
    steps.push(stepOf(language, lines.slice(index + 1, end).join('\n'), line, remark))
    remark = {}
    index = end
  }
  return { steps, exactTimes }
}

function readRemark(said: string, line: number): Remark {
  if (said === 'stays running') return { staysRunning: true }
  if (said === 'in the terminal that stays running') return { ofTerminal: true }
  if (said === 'within moments') return { isLate: true }
  const exit = /^exit (\d+)$/.exec(said)?.[1]
  if (exit !== undefined) return { exit: Number(exit) }
  const reason = /^not run, because (.+)$/.exec(said)?.[1]
  if (reason !== undefined) return { leftBecause: reason }
  throw new Error(`Line ${line}: the runner does not know the remark "${said}".`)
}

/** The first comment of a file, by its language. */
const fileName: Readonly<Record<string, RegExp>> = {
  ts: /^\/\/ ([\w./-]+\.ts)\n/,
  yaml: /^# ([\w./-]+\.yml)\n/,
}

function stepOf(language: string, text: string, line: number, remark: Remark): Step {
  if (remark.leftBecause !== undefined) return { kind: 'left', line, reason: remark.leftBecause }
  if (language === 'sh' && remark.staysRunning) return { kind: 'terminal', line, code: text }
  if (language === 'sh') return { kind: 'command', line, code: text, exit: remark.exit ?? 0 }
  if (language === 'json' || language === 'text') {
    const { ofTerminal, isLate = false } = remark
    return { kind: 'output', line, format: language, of: ofTerminal ? 'terminal' : 'command', text, isLate }
  }
  const name = fileName[language]?.exec(text)?.[1]
  if (name !== undefined) return { kind: 'file', line, name, code: text }
  throw new Error(
    `Line ${line}: give the block one of sh, json and text, or ts or yaml with the file's name as its first comment.`,
  )
}

/** The pages of a folder of the documentation: the file's name and its Markdown. */
function pagesIn(folder: string) {
  const pages = readdirSync(join(root, folder)).filter(name => name !== 'README.md')
  return pages.map(name => ({
    name,
    markdown: readFileSync(join(root, folder, name), 'utf8'),
  }))
}

/** Every guide. */
export const allGuides = pagesIn('docs/guides')

/** The pages about the sandbox that show commands. */
export const sandboxPages = pagesIn('docs/sandbox').filter(({ markdown }) => markdown.includes('```sh'))

/** Every quick start. */
export const quickStarts = pagesIn('docs/quick-starts')

/** Every recipe: the sandbox with a tool that a reader may have. */
export const allRecipes = pagesIn('docs/recipes')
