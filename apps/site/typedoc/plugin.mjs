// What the reference needs besides TypeDoc's own: types as long as a reader can take in, links to the sections of the
// specification, and a check that everything exported is documented.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Application, Converter, ReflectionKind } from 'typedoc'
import { arrangePages, listByCategory, readCategories, writePages } from './pages.mjs'
import { readReference, readWords } from './reference.mjs'
import { linkSections, readSections } from './sections.mjs'

/** The reference as data, for its tests. */
const data = fileURLToPath(new URL('../.astro/reference.json', import.meta.url))

/** @param {import('typedoc').Application} app */
export function load(app) {
  readSections(app)
  readWords(app)
  writePages(app)
  app.converter.on(Converter.EVENT_BEGIN, () => allowUnionsOfOptions(app.logger))
  app.on(Application.EVENT_PROJECT_REVIVE, project => {
    app.validate(project)
    if (app.logger.hasWarnings()) throw new Error('The reference has the faults above.')
    readCategories(project)
    readReference(project)
    linkSections(project)
    writeFileSync(data, JSON.stringify(app.serializer.projectToObject(project, process.cwd())))
    shortenNames(project)
    arrangePages(project)
    listByCategory(app)
  })
}

/** The branches of such a union name the same options, which `@interface` lists: it discards none. */
function allowUnionsOfOptions(logger) {
  const { warn } = Object.getPrototypeOf(logger)
  logger.warn = (text, ...place) => {
    if (!text.startsWith('Using @interface on a union type')) warn.call(logger, text, ...place)
  }
}

/** A package and its entries are at `reference/publisher-sdk/callbacks`, without the scope and a second name of the package. */
function shortenNames(project) {
  for (const module of project.getReflectionsByKind(ReflectionKind.Module)) module.name = module.name.split('/').at(-1)
}
