import { readFileSync } from 'node:fs'

/** The code block of a Markdown file that stands behind the comment `<!-- name -->`. */
export function codeBlock(file: string, name: string): string {
  const code = new RegExp(`<!-- ${name} -->\\s*\`\`\`\\w*\\n([\\s\\S]*?)\`\`\``).exec(readFileSync(file, 'utf8'))?.[1]
  if (code === undefined) throw new Error(`${file} has no code block behind <!-- ${name} -->.`)
  return code
}
