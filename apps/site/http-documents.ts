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
    JSON.stringify(document, (_key, value: unknown) => {
      if (isError(value)) return linkErrors(value)
      return isDuration(value) ? describeDuration(value) : value
    }),
  )
  return path
}

/** The shape of a duration. */
interface Duration {
  readonly pattern: string
  /** A sentence without its subject. */
  readonly 'x-issue': string
}

function isDuration(value: unknown): value is Duration {
  const pattern = (value as Partial<Duration> | null)?.pattern
  return typeof pattern === 'string' && pattern.startsWith('^P(')
}

/** Says in words and by an example what the pattern of a duration says to programs. */
function describeDuration({ pattern: _, 'x-issue': issue, ...duration }: Duration): object {
  return { description: `It ${issue}.`, ...duration, format: 'duration', example: 'PT24H' }
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
