// What the reference shows of the packages: what users need of it, and types as long as a reader can take in.
import { CommentTag, Converter, LiteralType, ReflectionKind, UnionType, UnknownType } from 'typedoc'

/** How many levels of a type are shown that was inferred from a value, such as the shape of a reply. */
const shownLevels = { result: 1, other: 2 }
/** An object with more fields than this is data, such as a table of texts, and is not listed. */
const shownFields = 20
/** As is an enumeration with more values, within another type: it has a page of its own. */
const shownValues = 8

/** @param {import('typedoc').ProjectReflection} project */
export function readReference(project) {
  for (const module of project.children ?? []) mergeMainEntry(project, module)
  for (const reflection of Object.values(project.reflections)) {
    if (isConstructorOfError(reflection) || isCallOfLibrary(reflection)) project.removeReflection(reflection)
    // A parameter that is taken apart where it is declared.
    if (reflection.name === '__namedParameters') reflection.name = 'options'
    reflection.name = reflection.name.replace(/^\[(asyncDispose|asyncIterator|dispose|iterator)\]$/, '[Symbol.$1]')
  }
  for (const reflection of Object.values(project.reflections)) if (reflection.comment) listErrors(project, reflection)
  for (const reflection of Object.values(project.reflections)) {
    const levels = reflection.kindOf(ReflectionKind.SomeSignature) ? shownLevels.result : shownLevels.other
    if (reflection.type && project.getReflectionById(reflection.id))
      reflection.type = shortened(project, reflection.type, levels)
  }
}

/** Shows the words of a type that is made from a list of words, not the name of the list. */
export function readWords(app) {
  const words = new Map()
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    if (!reflection.kindOf(ReflectionKind.TypeAlias)) return
    const { types = [] } = context.checker.getDeclaredTypeOfSymbol(context.getSymbolFromReflection(reflection))
    if (types.length > 0 && types.every(type => type.isStringLiteral())) words.set(reflection, types)
  })
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, () => {
    for (const [reflection, types] of words)
      if (reflection.type.type === 'indexedAccess')
        reflection.type = new UnionType(types.map(({ value }) => new LiteralType(value)))
    words.clear()
  })
}

/** Moves the exports of a package's main entry out of the module of that name, into the package itself. */
function mergeMainEntry(project, module) {
  const main = module.children?.find(({ name }) => name === module.name)
  if (!main) return
  // Its README says it already.
  if (!module.readme) module.comment ??= main.comment
  project.mergeReflections(main, module)
}

/** An error is constructed by its package alone. */
const isConstructorOfError = reflection =>
  reflection.kindOf(ReflectionKind.Constructor) &&
  /Error$|^Mismatch$|^Unclear$|^RefusedStart$/.test(reflection.parent.name)

/** How what a library declares is called, such as a router of Express. */
const isCallOfLibrary = reflection =>
  reflection.kindOf(ReflectionKind.CallSignature) &&
  reflection.parent.kindOf(ReflectionKind.Interface) &&
  !reflection.hasComment() &&
  reflection.parent.extendedTypes?.some(({ type, reflection: base }) => type === 'reference' && !base)

function shortened(project, type, levels, isInner = false) {
  const shorten = (each, left = levels) => each && shortened(project, each, left, true)
  if (type.type === 'reflection') {
    const { children = [], signatures } = type.declaration
    if (signatures || isDescribed(type.declaration)) return type
    if (levels === 0 || children.length > shownFields) {
      project.removeTypeReflections(type)
      return new UnknownType('{ … }')
    }
    for (const child of children) child.type = shorten(child.type, levels - 1)
  }
  if (type.type === 'union') {
    if (isInner && type.types.length > shownValues && type.types.every(each => each.type === 'literal'))
      return new UnknownType('string')
    type.types = type.types.map(each => shorten(each))
  }
  if (type.type === 'reference' && type.typeArguments) {
    if (type.package === 'zod') {
      project.removeTypeReflections(type)
      type.typeArguments = [new UnknownType('…')]
    } else type.typeArguments = type.typeArguments.map(each => shortened(project, each, levels))
  }
  if (type.type === 'array') type.elementType = shorten(type.elementType)
  if (type.type === 'typeOperator') type.target = shorten(type.target)
  return type
}

/** Returns true if a field of an object is described, at any level: then somebody has written it for readers. */
const isDescribed = ({ children = [] }) =>
  children.some(
    child =>
      child.hasComment() ||
      child.signatures?.some(signature => signature.hasComment()) ||
      (child.type?.type === 'reflection' && isDescribed(child.type.declaration)),
  )

/** Makes one list of the errors of a function, each with a link to its class. */
function listErrors(project, reflection) {
  const { comment } = reflection
  const tags = comment.blockTags.filter(({ tag }) => tag === '@throws')
  if (tags.length === 0) return
  const content = tags.flatMap(tag => {
    const [first, ...others] = tag.content
    const [, name, text] = /^\s*(\w+)([\s\S]*)$/.exec(first.text) ?? ['', '', first.text]
    const target = classOf(project, reflection, name)
    const error = target
      ? { kind: 'inline-tag', tag: '@linkcode', text: name, target }
      : { kind: 'code', text: `\`${name}\`` }
    const words = [{ ...first, text }, ...others].map(part => ({
      ...part,
      text: part.text.replaceAll(/\s*\n\s*/g, ' '),
    }))
    return [{ kind: 'text', text: '\n- ' }, error, ...words]
  })
  comment.blockTags = [...comment.blockTags.filter(({ tag }) => tag !== '@throws'), new CommentTag('@throws', content)]
}

/** Returns the class of an error in the reader's own package, or in any. */
function classOf(project, reflection, name) {
  const classes = project.getReflectionsByKind(ReflectionKind.Class).filter(each => each.name === name)
  const packageOf = each => (each.parent?.isProject() ? each : packageOf(each.parent))
  return classes.find(each => packageOf(each) === packageOf(reflection)) ?? classes[0]
}
