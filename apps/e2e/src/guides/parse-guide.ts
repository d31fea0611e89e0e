import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../architecture/sources.ts'
import { canRun, interpreters, type Program } from '../languages/programs.fixture.ts'

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

/** Blocks between which the reader chooses, one for each language, and one of them. */
const tabs = /^<!-- tabs -->\n[\s\S]*?^<!-- \/tabs -->$/gm
const blockInTabs = /^```(\w+)\n[\s\S]*?^```$/gm

/**
 * Returns a page as a reader of each language follows it, and as it is where it has no tabs. Other languages leave empty
 * lines, so that the others keep their numbers. Warns about a language that this machine does not run, and omits it.
 */
export function inEachLanguage({ name, markdown }: { readonly name: string; readonly markdown: string }) {
  const blocks = [...markdown.matchAll(tabs)].flatMap(([group]) => [...group.matchAll(blockInTabs)])
  const languages = new Set(blocks.map(([, language]) => language as Program['language']))
  if (languages.size === 0) return [{ name, markdown }]
  return [...languages]
    .filter(language => canRun({ language, file: name, code: '' }))
    .map(language => ({
      name: `${name} in ${language}`,
      markdown: markdown.replace(tabs, group =>
        group.replace(blockInTabs, (block, found) => (found === language ? block : block.replace(/.+/g, ''))),
      ),
    }))
}

/** Reads a guide from its Markdown. Throws where a block or a remark is of no kind that the runner knows. */
export function parseGuide(markdown: string): Guide {
  const steps: Step[] = []
  let exactTimes = false
  let remark: Remark = {}
  let isInTabs = false
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
    if (/^<!-- \/?tabs -->$/.test(text)) isInTabs = !text.includes('/')
    if (!/^\s*```/.test(text)) continue
    const language = /^```(\w+)$/.exec(text)?.[1]
    const end = lines.indexOf('```', index + 1)
    if (!language || end < 0)
      throw new Error(`Line ${line}: begin a block with \`\`\` and its language, not indented, and end it.`)
    const step = stepOf(language, lines.slice(index + 1, end).join('\n'), line, remark)
    steps.push(step)
    // Beside a command, a program is run as soon as it is saved.
    if (isInTabs && step.kind === 'file')
      steps.push({
        kind: 'command',
        line,
        code: `${interpreters[language as Program['language']]} ${step.name}`,
        exit: 0,
      })
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
  php: /^<\?php\n\/\/ ([\w./-]+\.php)\n/,
  python: /^# ([\w./-]+\.py)\n/,
  java: /^\/\/ ([\w./-]+\.java)\n/,
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
    `Line ${line}: give the block one of sh, json and text, or one of ${Object.keys(fileName).join(', ')} with the file's name as its first comment.`,
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
