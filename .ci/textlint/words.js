// Finds words and turns of phrase in the text of a page, by the patterns of config.json. Code is not text.
export default function findWords({ Syntax, RuleError, report, getSource, locator }, patterns) {
  const find = node => {
    // Code is blanked, so that what is found stays where it is.
    const text = getSource(node).replace(/`[^`]*`|\]\([^)]*\)|<[^>]*>/gu, code => code.replace(/[^\n]/gu, '¤'))
    for (const [pattern, write] of Object.entries(patterns))
      for (const { 0: found, index } of text.matchAll(new RegExp(pattern, 'gu'))) {
        const padding = { padding: locator.range([index, index + found.length]) }
        report(node, new RuleError(`Instead of "${found.replace(/\s+/gu, ' ').trim()}": ${write}.`, padding))
      }
  }
  return { [Syntax.Paragraph]: find, [Syntax.Header]: find, [Syntax.TableCell]: find }
}
