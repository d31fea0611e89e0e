import { basePath, isUuid } from '@lead-distribution/contract'
import { operations } from '@lead-distribution/contract/shapes'
import { controlOperations, controlPath } from '@lead-distribution/simulator'

const pages = ['docs', 'health', 'lender', 'metrics', 'openapi.json', 'service.openapi.json', 'sink']

/** Every word that a path of ours is made of; the parameters of the tables are no words of a path. */
const words = new Set([
  ...[
    basePath,
    controlPath,
    ...[operations, controlOperations].flatMap(table => Object.values(table).map(row => row.path)),
  ]
    .flatMap(path => path.split('/'))
    .filter(word => !word.startsWith(':')),
  ...pages,
])

/**
 * A path as it is logged: words of our own and UUIDs as they are, `*` for anything else. A caller can put whatever it
 * likes in a path, and some put an e-mail address where an id belongs.
 */
export function loggedPath(path: string): string {
  return path
    .split('/')
    .map(word => (words.has(word) || isUuid(word) ? word : '*'))
    .join('/')
}
