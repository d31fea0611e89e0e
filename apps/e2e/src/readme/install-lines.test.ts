import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'

/** As long as npm has none of the packages, each page that names one to install says how to come by it. */
const note =
  /Not published yet: in a checkout of this repository, run `npm run pack -- ([^`]+)`, and in your project the line that it prints\./g

/** The packages that a page installs, or runs by npx, without the note about them. */
function withoutNote(page: string): string[] {
  const commands = page.match(/\b(?:npm (?:install|i|exec)|npx|(?:pnpm|yarn|bun) add)\b[^\n`]*/g) ?? []
  const installed = commands.flatMap(command => [...command.matchAll(/@lead-distribution\/([\w-]+)/g)])
  const noted = [...page.replace(/\s+/g, ' ').matchAll(note)].flatMap(([, folders]) => folders?.split(' '))
  return [...new Set(installed.map(([, folder]) => folder ?? ''))].filter(folder => !noted.includes(folder))
}

const pages = globSync(['*.md', 'docs/**/*.md', '{packages,apps}/*/README.md'], {
  cwd: root,
  exclude: path => path.includes('node_modules') || path.includes('site'),
})

it('is on every page that installs a package', () => {
  const bare = pages.flatMap(page =>
    withoutNote(readFileSync(join(root, page), 'utf8')).map(name => `${page}: ${name}`),
  )
  expect([pages.length > 40, bare]).toEqual([true, []])
})
