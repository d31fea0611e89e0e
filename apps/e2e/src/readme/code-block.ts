import { readFileSync } from 'node:fs'

/** A code block of a Markdown file. */
export interface CodeBlock {
  /** The text of the comment `<!-- name -->` right in front of it. */
  readonly name: string | undefined
  readonly language: string
  readonly code: string
  /** Its first line, from 1. */
  readonly line: number
}

/** Every code block of a Markdown text, in its order. Throws at a fence that begins or ends none. */
export function codeBlocks(markdown: string): CodeBlock[] {
  const lines = markdown.split('\n')
  const blocks: CodeBlock[] = []
  for (let index = 0; index < lines.length; index++) {
    if (!/^\s*(```|~~~)/.test(lines[index] ?? '')) continue
    const language = /^```(\w*)$/.exec(lines[index] ?? '')?.[1]
    const end = lines.indexOf('```', index + 1)
    if (language === undefined || end < 0)
      throw new Error(`Line ${index + 1}: begin a block with \`\`\` at the margin, and end it.`)
    const name = /^<!-- (.+) -->$/.exec(lines[index - 1] ?? '')?.[1]
    blocks.push({ name, language, code: `${lines.slice(index + 1, end).join('\n')}\n`, line: index + 1 })
    index = end
  }
  return blocks
}

/** The code of the block of a Markdown file that has this name. */
export function codeBlock(file: string, name: string): string {
  const block = codeBlocks(readFileSync(file, 'utf8')).find(candidate => candidate.name === name)
  if (!block) throw new Error(`${file} has no code block behind <!-- ${name} -->.`)
  return block.code
}
