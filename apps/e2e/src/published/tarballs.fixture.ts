import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../architecture/sources.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The tarballs of the packages that are published, by name. */
    tarballs: Readonly<Record<string, string>>
    /** A folder for the projects of users. */
    projects: string
  }
}

const folder = mkdtempSync(join(tmpdir(), 'published-'))

/** Packs what is published, unless a release has already: what is published is what was tested. */
export async function setup(project: { provide(name: string, value: unknown): void }): Promise<void> {
  const given = process.env.LEAD_TEST_TARBALLS
  const { pack } = await import(pathToFileURL(join(root, '.ci/packages.mjs')).href)
  project.provide('tarballs', given ? JSON.parse(given) : await pack(join(folder, 'tarballs')))
  project.provide('projects', folder)
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true })
}
