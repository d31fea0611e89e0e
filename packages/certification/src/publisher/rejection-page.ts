import type { PublisherRound } from './round.ts'
import { changed } from './submission.ts'

/** Returns true if a customer's page shows a rejection. */
type RejectionPage = (shown: string) => boolean

const knownPages = new WeakMap<PublisherRound, Promise<readonly RejectionPage[]>>()

/** Returns true if a customer's page is one of the application's rejection pages, in any language. */
export async function isRejectionPage(round: PublisherRound, shown: string): Promise<boolean> {
  const pages = knownPages.get(round) ?? seeRejectionPages(round)
  knownPages.set(round, pages)
  return (await pages).some(isShown => isShown(shown))
}

async function seeRejectionPages(round: PublisherRound): Promise<readonly RejectionPage[]> {
  const see = async (values: object) => {
    const change = changed({ redirect_url: undefined, ...values })
    return wordsOf((await round.submit('distributed', { change })).shown)
  }
  const ofNew = await see({ status: 'new' })
  const rejections = [
    { status: 'rejected', rejection_reason: 'eligibility_failed' },
    { status: 'rejected', rejection_reason: 'customer_already_exists', lead_id: undefined },
  ]
  const pages: RejectionPage[] = []
  for (const rejection of rejections) {
    // Twice, because words that differ between the two are specific to the customer, such as an id.
    const [one, two] = [await see(rejection), await see(rejection)]
    const common = new Set([...one].filter(word => two.has(word)))
    const telling = [...common].filter(word => !ofNew.has(word))
    const mostOwn = Math.max(one.size, two.size) - common.size
    // A page with more words than a rejection page, such as "we are checking", is a different page.
    pages.push(shown => {
      const words = wordsOf(shown)
      const own = [...words].filter(word => !common.has(word))
      return telling.length > 0 && telling.every(word => words.has(word)) && own.length <= mostOwn
    })
  }
  return pages
}

/** Returns the words of a page, except those with a digit: ids, times, amounts. */
function wordsOf(shown: string): Set<string> {
  return new Set(shown.split(/[^\p{L}\p{M}\p{N}_+-]+/u).filter(word => word !== '' && !/\p{N}/u.test(word)))
}
