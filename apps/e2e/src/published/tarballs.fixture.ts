import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../architecture/sources.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The tarballs of the published packages by name. */
    tarballs: Readonly<Record<string, string>>
    /** A folder for users' projects. */
    projects: string
  }
}

const folder = mkdtempSync(join(tmpdir(), 'published-'))

/** Packs the published packages, or uses a release's tarballs, so that the release publishes the tested files. */
export async function setup(project: { provide(name: string, value: unknown): void }): Promise<void> {
  const given = process.env.LEAD_TEST_TARBALLS
  const { pack } = await import(pathToFileURL(join(root, '.ci/packages.mjs')).href)
  project.provide('tarballs', given ? JSON.parse(given) : await pack(join(folder, 'tarballs')))
  project.provide('projects', folder)
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true })
}
