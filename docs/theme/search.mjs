// What the search knows of a page besides its text. TypeDoc's index holds names, comments and documents; here the READMEs
// of the packages, headings, and the words of `<!-- search: … -->` are added, and pages come before symbols.

/** TypeDoc's name has 10, and ten times that where the search is the whole name: only keywords count more. */
const weights = { keywords: 1000, headings: 8, document: 2, comment: 1 }
/** How much more a page counts than a symbol. */
const pageBoost = 4

/** @param {import('typedoc').IndexEvent} event */
export function addSearchFields(event) {
  Object.assign(event.searchFieldWeights, weights)
  for (const [index, reflection] of event.searchResults.entries()) {
    const isPage = reflection.isDocument()
    const parts = isPage ? reflection.content : (reflection.readme ?? [])
    if (parts.length === 0) continue
    const text = parts.map(part => part.text).join('')
    reflection.relevanceBoost = pageBoost
    event.searchFields[index] = { document: text, headings: headingsOf(text), keywords: keywordsOf(text) }
  }
}

const headingsOf = text => [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading).join('\n')
const keywordsOf = text => [...text.matchAll(/<!-- search: (.+?) -->/g)].map(([, words]) => words).join(' ')
