import { ensureSyntaxTree, syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'

/** A name or a value in a JSON text, with its path: `consents`, `entries`, `1`, `type`. */
export interface JsonPlace {
  readonly path: readonly string[]
  readonly start: number
  readonly end: number
}

const treeOf = (state: EditorState) => ensureSyntaxTree(state, state.doc.length) ?? syntaxTree(state)

type Node = ReturnType<typeof treeOf>['topNode']

/** Names and plain values. To the parser, a word that is still being written is an error. */
const words = ['PropertyName', 'String', 'Number', 'True', 'False', 'Null', '⚠']

const isMark = ({ name }: Node) => /^[{}[\],:]$/.test(name)

/** Returns the names in an object, or the items of a list. After a name that is being written, the next one is an error. */
function partsOf(value: Node): readonly Node[] {
  const parts: Node[] = []
  for (let each = value.firstChild; each && each.name !== ':'; each = each.nextSibling)
    if (each.name === 'Property') parts.push(...partsOf(each))
    else if (!isMark(each)) parts.push(each)
  return parts
}

const indexAt = (list: Node, offset: number) => String(partsOf(list).filter(({ from }) => from < offset).length)

const nameOf = (state: EditorState, { from, to }: Node) => state.sliceDoc(from, to).replace(/^"|"$/g, '')

/** Returns the path of a node; the document itself has none. */
function pathOf(state: EditorState, node: Node): readonly string[] {
  if (!node.parent) return []
  const path = pathOf(state, node.parent)
  if (node.name === 'Property' && node.firstChild) return [...path, nameOf(state, node.firstChild)]
  return node.parent.name === 'Array' && !isMark(node) ? [...path, indexAt(node.parent, node.from)] : path
}

/** Returns the place of a node. An object or a list is a place of one character, at its start. */
function placeOf(state: EditorState, node: Node): JsonPlace {
  return { path: pathOf(state, node), start: node.from, end: words.includes(node.name) ? node.to : node.from + 1 }
}

/**
 * Locates a field in a JSON text by its path in an error: `customer.contact`, `entries[1].type`. For a missing field,
 * returns the innermost object around it, or undefined if there is none.
 */
export function locateField(state: EditorState, path: string): JsonPlace | undefined {
  let value = treeOf(state).topNode.firstChild
  let found: Node | undefined
  for (const name of path.replace(/\[(\d+)\]/g, '.$1').split('.')) {
    const isList = value?.name === 'Array'
    const parts = value ? partsOf(value) : []
    const part = isList ? parts[Number(name)] : parts.find(each => nameOf(state, each) === name)
    if (!part) break
    found = part
    value = isList ? part : (part.parent?.lastChild ?? null)
  }
  return found && placeOf(state, found)
}

/** Returns the name or value at an offset of a JSON text. */
export function placeAt(state: EditorState, offset: number): JsonPlace | undefined {
  const nodes = ([-1, 1] as const).map(side => treeOf(state).resolveInner(offset, side))
  const node = nodes.find(({ name }) => words.includes(name) || name === '{' || name === '[')
  return node && placeOf(state, (isMark(node) && node.parent) || node)
}

/** A place at the cursor, whose text can be replaced. The path of a name is that of its object. */
export interface Cursor extends JsonPlace {
  readonly kind: 'name' | 'value'
  /** The names that the object already has. */
  readonly siblings: readonly string[]
}

/** Returns what can be written at an offset of a JSON text. Undefined where only a comma or a colon fits. */
export function cursorAt(state: EditorState, offset: number): Cursor | undefined {
  const tree = treeOf(state)
  const word = tree.resolveInner(offset, -1)
  // Typing after the end of a string doesn't continue it.
  const isString = word.name === 'PropertyName' || word.name === 'String'
  const isInside = words.includes(word.name) && (offset < word.to || !isString)
  const [start, end] = isInside ? [word.from, word.to] : [offset, offset]
  const mark = tree.resolveInner(state.sliceDoc(0, start).trimEnd().length, -1)
  if (!mark.parent || !['{', '[', ',', ':'].includes(mark.name)) return undefined
  const path = pathOf(state, mark.parent)
  if (mark.parent.name !== 'Object') {
    const index = mark.parent.name === 'Array' ? [indexAt(mark.parent, start)] : []
    return { kind: 'value', path: [...path, ...index], start, end, siblings: [] }
  }
  const siblings = partsOf(mark.parent).filter(({ from }) => from !== start)
  return { kind: 'name', path, start, end, siblings: siblings.map(each => nameOf(state, each)) }
}
