// Finds the words and turns of phrase of `words.json` in the text of a page. Code is not text.
import { readFileSync } from 'node:fs'

const { words } = JSON.parse(readFileSync(new URL('words.json', import.meta.url), 'utf8'))
const entries = words.map(({ not, write, unless }) => ({
  pattern: new RegExp(not, 'gu'),
  write,
  unless: unless === undefined ? undefined : new RegExp(unless, 'iu'),
}))

export default function findWords({ Syntax, RuleError, report, getSource, locator }) {
  const find = node => {
    const source = getSource(node)
    // Code is blanked, so that what is found stays where it is.
    const text = source.replace(/`[^`]*`|\]\([^)]*\)|<[^>]*>/gu, code => code.replace(/[^\n]/gu, '¤'))
    for (const { pattern, write, unless } of entries) {
      for (const found of text.matchAll(pattern)) {
        if (unless?.test(sentenceAround(text, found.index))) continue
        const words = found[0].replace(/\s+/gu, ' ').trim()
        const padding = { padding: locator.range([found.index, found.index + found[0].length]) }
        report(node, new RuleError(`Instead of "${words}": ${write}.`, padding))
      }
    }
  }
  return { [Syntax.Paragraph]: find, [Syntax.Header]: find, [Syntax.TableCell]: find }
}

function sentenceAround(text, index) {
  const from = Math.max(0, text.lastIndexOf('. ', index))
  const end = text.indexOf('. ', index)
  return text.slice(from, end < 0 ? undefined : end)
}
