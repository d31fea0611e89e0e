import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { controlDocument, serviceDocument } from '@lead-distribution/simulator/documents'
import openapiTS, { astToString } from 'openapi-typescript'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { typeFaults } from '../code-blocks/type-faults.ts'

const servers = [{ url: 'http://127.0.0.1:4010' }]
const documents = {
  service: serviceDocument(servers),
  control: controlDocument(servers, {}),
}

/** Code that must compile in strict mode with the generated types, by what it shows. */
const uses: Readonly<Record<string, readonly string[]>> = {
  'make fields with a default optional in a submission': [
    "export const person: Schemas['PersonalData'] = { first_name: 'Ana', last_name: 'Prueba' }",
    "export const phone: Schemas['PhoneContact'] = {}",
    "export const address: Schemas['Address'] = {}",
    "export const account: Schemas['FinancialInstrument'] = {}",
    "export const profile: Schemas['Profile'] = { occupation: 'student', monthly_income: 0 }",
    "export const explained: ControlSchemas['PersonalData'] = person",
  ],
  'keep response enumerations open for later versions, and request enumerations closed': [
    "export const reply: Schemas['LeadResponse'] = { status: 'of tomorrow', rejection_reason: 'of tomorrow' }",
    "export const report: Schemas['StatusUpdate'] = { status: 'a word of our own' }",
    "export const event: Schemas['EventReply'] = { lead_id: '', event: 'of tomorrow', status: 'of tomorrow' }",
    '// @ts-expect-error',
    "export const gender: Schemas['PersonalData']['gender'] = 'of tomorrow'",
  ],
  "include the publisher's callback under webhooks": [
    "type Callback = webhooks['leadEvent']['get']['parameters']",
    "export const query: Callback['query'] = { lead_id: '', event: 'loan_issued' }",
    "export const header: NonNullable<Callback['header']> = { 'webhook-id': '' }",
    '// @ts-expect-error',
    "export const withoutLead: Callback['query'] = { event: 'loan_issued' }",
  ],
  'include every error that a client can get': [
    "type Body<Response> = Response extends { content: { 'application/json': infer Json } } ? Json : never",
    "const error: Schemas['ErrorResponse'] = { error: '', message: '' }",
    "export const unavailable: Body<operations['submitLead']['responses'][503]> = error",
    "export const wrongMethod: Body<operations['reportStatus']['responses'][405]> = error",
    "export const injected: Body<operations['reportEvent']['responses']['default']> = error",
    "export const noToken: Body<control['listTenants']['responses'][401]> = error",
  ],
  'make an optional body optional': [
    "export const reset: Pick<control['resetTenant'], 'requestBody'> = {}",
    "export const create: Pick<control['createTenant'], 'requestBody'> = {}",
    '// @ts-expect-error',
    "export const advance: Pick<control['advanceClock'], 'requestBody'> = {}",
  ],
}

const preamble = `import type { components, operations, webhooks } from './service.ts'
import type { components as controlComponents, operations as control } from './control.ts'
type Schemas = components['schemas']
type ControlSchemas = controlComponents['schemas']
export type { ControlSchemas, Schemas, control, operations, webhooks }
`

const folder = mkdtempSync(join(tmpdir(), 'openapi-types-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let faults: readonly string[]
beforeAll(async () => {
  const write = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  write('package.json', '{ "type": "module" }')
  const generated = Object.entries(documents).map(async ([name, document]) =>
    write(`${name}.ts`, astToString(await openapiTS(JSON.stringify(document), { silent: true }))),
  )
  const used = Object.values(uses).map((lines, nth) => write(`use-${nth}.ts`, preamble + lines.join('\n')))
  faults = typeFaults([...(await Promise.all(generated)), ...used])
})

it('the types that openapi-typescript generates compile in strict mode', () => {
  expect(faults.filter(fault => !fault.includes('/use-'))).toEqual([])
})

it.each(Object.keys(uses).map((title, nth) => [title, nth] as const))(
  'the types that openapi-typescript generates %s',
  (_title, nth) => {
    expect(faults.filter(fault => fault.includes(`/use-${nth}.ts`))).toEqual([])
  },
)
