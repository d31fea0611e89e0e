const id = String.raw`(?:\d+(?:\.\d+)*|open)\/[\w.-]+`
const tag = new RegExp(String.raw`\s*\[(${id}(?:, ${id})*)\]`, 'g')

/** The statements that a test shows: its title, or that of a suite around it, names them: `[2.8/loan_amount, 7/400]`. */
export function statementsOf(name: string): string[] {
  return [...name.matchAll(tag)].flatMap(([, ids = '']) => ids.split(', '))
}

/** The title that carries the tags, without them: that of the test, or of the suite whose tests all show it. */
export function readableTitle(name: string): string {
  const titled = name.split(' > ').findLast(part => statementsOf(part).length > 0) ?? name
  return titled.replace(tag, '').trim()
}
