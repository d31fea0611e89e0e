import { textDistance } from '../closest-name.ts'
import type { NearMiss } from './near-miss.ts'

/** An account, as far as a submission names its parts. */
export interface AccountIds {
  readonly publisher: { readonly publisher_id: string }
  readonly products: readonly { readonly product_id: string; readonly name: string; readonly active: boolean }[]
  readonly advertisers: readonly { readonly advertiser_id: string; readonly name: string }[]
}

/** Letter case of a UUID does not matter (RFC 9562). */
const isSameUuid = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

/** An id of the account, and its owner. */
interface Named {
  readonly id: string
  readonly owner: string
}

/** The near misses of `publisher_id`, where it is not the account's. */
export function* publisherMisses(sent: string, account: AccountIds): Generator<NearMiss> {
  const { publisher_id } = account.publisher
  if (isSameUuid(sent, publisher_id)) return
  const miss = (rest: string): NearMiss => ({
    check: 'publisher',
    field: 'publisher_id',
    message: `\`publisher_id\` ${rest}`,
  })
  const other = idOf(sent, [...productIds(account), ...advertiserIds(account)])
  if (other) yield miss(`is the id of ${other.owner}: send ${publisher_id}, the id of the publisher.`)
  else yield* closeTo(sent, publisherIds(account)).map(miss)
}

/** The near misses of `product_id`, where it is none of the account's products, or one that takes no leads. */
export function* productMisses(sent: string, account: AccountIds): Generator<NearMiss> {
  const product = account.products.find(({ product_id }) => isSameUuid(product_id, sent))
  if (product?.active) return
  const miss = (rest: string): NearMiss => ({
    check: product ? 'product_active' : 'product',
    field: 'product_id',
    message: `\`product_id\` ${rest}`,
  })
  if (product) {
    yield miss(`is a product that takes no leads at present: ${choice(account, true)}`)
    return
  }
  const other = idOf(sent, [...publisherIds(account), ...advertiserIds(account)])
  if (other) yield miss(`is the id of ${other.owner}.`)
  else yield* closeTo(sent, productIds(account)).map(miss)
  yield miss(`is none of the account's products: ${choice(account, false)}`)
}

const publisherIds = ({ publisher }: AccountIds): Named[] => [{ id: publisher.publisher_id, owner: 'the publisher' }]
const productIds = ({ products }: AccountIds): Named[] =>
  products.map(({ product_id, name }) => ({ id: product_id, owner: `the product ${name}` }))
const advertiserIds = ({ advertisers }: AccountIds): Named[] =>
  advertisers.map(({ advertiser_id, name }) => ({ id: advertiser_id, owner: `the advertiser ${name}` }))

const idOf = (sent: string, ids: readonly Named[]) => ids.find(({ id }) => isSameUuid(id, sent))

/** The most mistyped characters of a UUID; more make another id. */
const mostMistyped = 2

/** The id that was probably meant: the nearest, and of equals the first. */
function closeTo(sent: string, ids: readonly Named[]): string[] {
  const letters = sent.trim().toLowerCase()
  if (letters.length > 40) return []
  const near = ids
    .map(named => ({ ...named, distance: textDistance(letters, named.id.toLowerCase()) }))
    .filter(({ distance }) => distance <= mostMistyped)
    .sort((a, b) => a.distance - b.distance)
  const [nearest] = near
  if (!nearest) return []
  const apart = ['spaces only', 'one character', 'two characters'][nearest.distance]
  return [`differs in ${apart} from the id of ${nearest.owner}, ${nearest.id}.`]
}

const mostProductsNamed = 5

function choice({ products }: AccountIds, active: boolean): string {
  const wanted = products.filter(product => product.active || !active)
  if (wanted.length === 0) return active ? 'none of the account does.' : 'it has none.'
  const named = wanted
    .slice(0, mostProductsNamed)
    .map(product => `${product.name} (${product.product_id}${product.active ? '' : ', takes no leads'})`)
  const more = wanted.length - named.length
  return `send one of ${[...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')}.`
}
