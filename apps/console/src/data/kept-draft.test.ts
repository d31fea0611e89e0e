import type { Account } from '@lead-distribution/control-client'
import { afterEach, expect, it, vi } from 'vitest'
import { draftOfRequest } from './draft.ts'
import { keepDraft, keptDraft } from './kept-draft.ts'

afterEach(() => vi.unstubAllGlobals())

const accountOf = (tenant: string) => ({ tenant, publisher: { publisher_id: 'p' } }) as Account

const kept = {
  chosen: '',
  draft: draftOfRequest({ headers: { 'content-type': 'application/json' }, body: '{"a":1}' }),
}

it("keeps each tenant's draft while the page is open if the browser denies storage", () => {
  vi.stubGlobal('sessionStorage', {
    getItem() {
      throw new DOMException('denied', 'SecurityError')
    },
    setItem() {
      throw new DOMException('denied', 'SecurityError')
    },
  })
  keepDraft(accountOf('one'), kept)
  expect(keptDraft(accountOf('one'))).toEqual(kept)
  expect(keptDraft(accountOf('two'))).toBeUndefined()
})

it.each(['', 'null', '{', '[]', '{"chosen":"x"}', '{"draft":{"before":[],"headers":{},"body":1},"chosen":""}'])(
  'ignores a stored text that is not a draft: %s',
  text => {
    vi.stubGlobal('sessionStorage', { getItem: () => text, setItem: () => undefined })
    expect(keptDraft(accountOf('damaged'))).toBeUndefined()
  },
)
