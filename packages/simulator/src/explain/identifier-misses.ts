import { textDistance } from '@lead-distribution/contract'
import { type Account, isSameUuid } from '@lead-distribution/engine'
import type { NearMiss } from './near-miss.ts'

/** An id of the account, and whose it is. */
interface Named {
  readonly id: string
  readonly whose: string
}

/** The near misses of `publisher_id`, where it is not the account's. */
export function* publisherMisses(sent: string, account: Account): Generator<NearMiss> {
  const { publisher_id } = account.publisher
  if (isSameUuid(sent, publisher_id)) return
  const miss = (rest: string): NearMiss => ({
    check: 'publisher',
    field: 'publisher_id',
    message: `\`publisher_id\` ${rest}`,
  })
  const other = idOf(sent, [...productIds(account), ...advertiserIds(account)])
  if (other) yield miss(`is the id of ${other.whose}: send ${publisher_id}, the id of the publisher.`)
  else yield* closeTo(sent, publisherIds(account)).map(miss)
}

/** The near misses of `product_id`, where it is none of the account's products, or one that takes no leads. */
export function* productMisses(sent: string, account: Account): Generator<NearMiss> {
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
  if (other) yield miss(`is the id of ${other.whose}.`)
  else yield* closeTo(sent, productIds(account)).map(miss)
  yield miss(`is none of the account's products: ${choice(account, false)}`)
}

const publisherIds = ({ publisher }: Account): Named[] => [{ id: publisher.publisher_id, whose: 'the publisher' }]
const productIds = ({ products }: Account): Named[] =>
  products.map(({ product_id, name }) => ({ id: product_id, whose: `the product ${name}` }))
const advertiserIds = ({ advertisers }: Account): Named[] =>
  advertisers.map(({ advertiser_id, name }) => ({ id: advertiser_id, whose: `the advertiser ${name}` }))

const idOf = (sent: string, ids: readonly Named[]) => ids.find(({ id }) => isSameUuid(id, sent))

/** Two characters of a UUID are mistyped at the most; more are another id. */
const mostMistyped = 2

/** The id that another one was mistyped for: the nearest, and of equals the first. */
function closeTo(sent: string, ids: readonly Named[]): string[] {
  const letters = sent.trim().toLowerCase()
  if (letters.length > 40) return []
  const near = ids
    .map(named => ({ ...named, distance: textDistance(letters, named.id.toLowerCase()) }))
    .filter(({ distance }) => distance <= mostMistyped)
    .sort((a, b) => a.distance - b.distance)
  const [nearest] = near
  if (!nearest) return []
  const apart = ['spaces alone', 'one character', 'two characters'][nearest.distance]
  return [`differs in ${apart} from the id of ${nearest.whose}, ${nearest.id}.`]
}

const mostProductsNamed = 5

function choice({ products }: Account, active: boolean): string {
  const wanted = products.filter(product => product.active || !active)
  if (wanted.length === 0) return active ? 'none of the account does.' : 'it has none.'
  const named = wanted
    .slice(0, mostProductsNamed)
    .map(product => `${product.name} (${product.product_id}${product.active ? '' : ', takes no leads'})`)
  const more = wanted.length - named.length
  return `send one of ${[...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')}.`
}
