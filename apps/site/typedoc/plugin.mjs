// What the reference needs besides TypeDoc's own: types as long as a reader can take in, links to the sections of the
// specification, and a check that everything exported is documented.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Application, ReflectionKind } from 'typedoc'
import { readReference } from './reference.mjs'
import { linkSections, readSections } from './sections.mjs'

/** The reference as data, for its tests. */
const data = fileURLToPath(new URL('../.astro/reference.json', import.meta.url))

/** @param {import('typedoc').Application} app */
export function load(app) {
  readSections(app)
  app.on(Application.EVENT_PROJECT_REVIVE, project => {
    app.validate(project)
    if (app.logger.hasWarnings()) throw new Error('The reference has the faults above.')
    readReference(project)
    linkSections(project)
    writeFileSync(data, JSON.stringify(app.serializer.projectToObject(project, process.cwd())))
    shortenNames(project)
  })
}

/** A package and its entries are at `reference/publisher-sdk/callbacks`, without the scope and a second name of the package. */
function shortenNames(project) {
  for (const module of project.getReflectionsByKind(ReflectionKind.Module)) module.name = module.name.split('/').at(-1)
}
