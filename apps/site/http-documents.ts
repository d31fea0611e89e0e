import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { controlDocument, serviceDocument } from '@lead-distribution/simulator/documents'
import { pageAddress, root } from './addresses.ts'

const folder = fileURLToPath(new URL('.astro/', import.meta.url))

/** The shape of every error, which `docs/errors` describes once. */
const errorShape = '#/components/schemas/ErrorResponse'

/** Writes the OpenAPI documents as files, which their plugin reads, and returns where they are. */
export function writeHttpDocuments(): { readonly service: string; readonly control: string } {
  mkdirSync(folder, { recursive: true })
  const local = 'http://127.0.0.1:4010'
  return {
    service: write('service', serviceDocument([{ url: `${local}/api/v1` }])),
    control: write('control', controlDocument([{ url: `${local}/_sandbox` }], {})),
  }
}

function write(name: string, document: object): string {
  const path = `${folder}${name}.json`
  writeFileSync(
    path,
    JSON.stringify(document, (_key, value: unknown) => (isError(value) ? linkErrors(value) : value)),
  )
  return path
}

/** A response with an error. */
interface ErrorResponse {
  readonly description: string
  readonly content: unknown
}

function isError(value: unknown): value is ErrorResponse {
  const content = (value as Partial<ErrorResponse> | null)?.content
  return JSON.stringify(content)?.includes(`"${errorShape}"`) === true
}

/** Leads from the codes of an error to their pages, in place of one more copy of the shape. */
function linkErrors({ content: _, description, ...response }: ErrorResponse): object {
  return { ...response, description: description.replaceAll(/`(\w+)`(?=:)/g, linked) }
}

function linked(text: string, code: string): string {
  return existsSync(`${root}docs/errors/service/${code}.md`)
    ? `[${text}](${pageAddress(`errors/service/${code}`)})`
    : text
}
