import { describe, expect, it } from 'vitest'
import { allRecipes, parseGuide } from './parse-guide.ts'
import { pressButton, runGuide } from './run-guide.ts'

describe('the recipes', () => {
  it.concurrent.each(allRecipes)('$name comes out as it says', ({ markdown }) => runGuide(markdown, pressButton))

  it('are short: 40 to 120 lines', () => {
    const lengths = allRecipes.map(({ name, markdown }) => ({ name, lines: markdown.trimEnd().split('\n').length }))
    expect(lengths.filter(({ lines }) => lines < 40 || lines > 120)).toEqual([])
  })

  it('leave out what needs a Docker engine, and nothing else', () => {
    const left = allRecipes.flatMap(({ markdown }) => parseGuide(markdown).steps.filter(({ kind }) => kind === 'left'))
    expect(left.map(step => step.kind === 'left' && step.reason).filter(reason => !/Docker/.test(`${reason}`))).toEqual(
      [],
    )
  })
})
