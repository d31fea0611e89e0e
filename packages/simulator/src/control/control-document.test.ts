import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { operatorPaths } from '../urls.ts'
import { controlDocument } from './control-document.ts'
import { controlOperations } from './operations.ts'

const servers = [{ url: 'http://127.0.0.1:4010/_sandbox' }]
const made = controlDocument(servers, {})
const plain = JSON.parse(JSON.stringify(made))
const rows = Object.entries(controlOperations)

interface OperationObject {
  operationId: string
  summary: string
  description?: string
  requestBody?: { required: boolean }
  security: object[]
  responses: Record<string, unknown>
  tags: string[]
  parameters?: Parameter[]
}

interface Parameter {
  name: string
  required: boolean
  example?: string
  schema: { format?: string }
}

const methodsOf = (item: Record<string, OperationObject>) =>
  Object.entries(item).filter(([method]) => method !== 'parameters')
const operationObjects = Object.values<Record<string, OperationObject>>(plain.paths).flatMap(item =>
  methodsOf(item).map(([, operation]) => operation),
)

describe('the OpenAPI document of the control plane', () => {
  it('is valid OpenAPI 3.1', async () => {
    expect(await new Validator().validate(structuredClone(plain))).toEqual({ valid: true })
  })

  it('is plain JSON', () => {
    expect(plain).toEqual(made)
  })

  it.each(rows)('contains %s under its path and method', (name, { path, methods }) => {
    const item = plain.paths[`/v1${path}`.replace(/:(\w+)/g, '{$1}')]
    expect(methods.map(method => item[method.toLowerCase()].operationId)[0]).toBe(name)
  })

  it("contains nothing but the control plane's operations and the operators' pages", () => {
    const [pages, operations] = [true, false].map(isPage =>
      Object.keys(plain.paths).filter(path => path.startsWith('/v1/') !== isPage),
    )
    expect(operationObjects.length - (pages?.length ?? 0)).toBe(rows.flatMap(([, { methods }]) => methods).length)
    expect(operations).toHaveLength(new Set(rows.map(([, { path }]) => path)).size)
    expect(pages).toEqual(Object.values(operatorPaths))
  })

  it('has one server for the whole document, because generated clients use no other', () => {
    expect(plain.servers).toEqual(servers)
    expect(JSON.stringify(plain.paths)).not.toContain('"servers"')
  })

  it('gives every required parameter an example that its schema accepts, and describes every DELETE', () => {
    const items = Object.values<{ parameters: Parameter[] }>(plain.paths)
    const parameters = [...items, ...operationObjects].flatMap(({ parameters = [] }) => parameters)
    for (const { name, required, example, schema } of parameters.filter(each => each.required)) {
      expect([name, required, typeof example]).toEqual([name, true, 'string'])
      if (schema.format === 'uuid') expect(example).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
    }
    const deletions = Object.values<{ delete?: OperationObject }>(plain.paths).flatMap(item => item.delete ?? [])
    for (const { operationId, description } of deletions)
      expect([operationId, description]).toEqual([operationId, expect.any(String)])
  })

  it('gives every operation a unique id, a short unique title and a description', () => {
    for (const values of [operationObjects.map(each => each.operationId), operationObjects.map(each => each.summary)])
      expect(new Set(values).size).toBe(values.length)
    for (const { summary, description = 'Nothing to add.' } of operationObjects) {
      expect(summary).toMatch(/^[A-Z][a-z]+( [a-zA-Z]+){1,5}$/)
      expect(description).toMatch(/^[A-Z].*\.$/)
    }
  })

  it('puts every operation into a group, and explains each group', () => {
    for (const { tags } of operationObjects) expect(tags).toHaveLength(1)
    const declared: { name: string; description: string }[] = plain.tags
    expect(new Set(operationObjects.flatMap(({ tags }) => tags))).toEqual(new Set(declared.map(({ name }) => name)))
    for (const { description } of declared) expect(description).toMatch(/^[A-Z].*\.$/)
  })

  it('requires a body only if an empty one is refused', () => {
    const required = operationObjects
      .filter(({ requestBody }) => requestBody)
      .map(({ operationId, requestBody }) => [operationId, requestBody?.required])
    expect(Object.fromEntries(required)).toMatchObject({
      createTenant: false,
      changeTenant: false,
      resetTenant: false,
      resendCallback: false,
      restoreSnapshot: false,
      changeClock: true,
      addFault: true,
    })
  })

  it('describes every parameter of a path', () => {
    const described = Object.values<{ parameters: { name: string; description: string }[] }>(plain.paths).flatMap(
      ({ parameters }) => parameters,
    )
    for (const { name, description } of described) expect(description).not.toBe(`The ${name}.`)
  })

  it('explains when each error is returned, including those common to all operations', () => {
    const { responses } = plain.paths['/v1/tenants'].post
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining(['201', '400', '401', '403', '413', '415', '500', '503']),
    )
    expect(responses[403].description).toContain('`forbidden`: ')
    expect(responses[503].description).toMatch(/`service_unavailable`: .*`overloaded`: /)
    expect(responses[409].description).toContain('`tenant_exists`: ')
    // A code without a note would have no text after the colon.
    expect(JSON.stringify(plain.paths)).not.toMatch(/`[a-z_]+`\.[ "]/)
  })

  it('refers to every component, and has no dangling references', () => {
    const text = JSON.stringify(plain)
    const referred = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name))
    expect([...referred].sort()).toEqual(Object.keys(plain.components.schemas).sort())
  })

  it('describes every field that the account forms edit', () => {
    const { schemas } = plain.components
    const names = [
      'Account',
      'SettingsChange',
      'TokenFormat',
      'ScheduledEvent',
      'PublisherChange',
      'ProductChange',
      'ProductCriteria',
      'AdvertiserChange',
      'AdvertiserCriteria',
      'BlacklistEntry',
    ]
    const undescribed = names.flatMap(name =>
      Object.entries<{ description?: string }>(schemas[name].properties)
        .filter(([, { description }]) => description === undefined)
        .map(([field]) => `${name}.${field}`),
    )
    expect(undescribed).toEqual([])
    expect(schemas.SettingsChange.properties.absent_fields.description).toBe(
      'A response field that does not apply may be absent or null. Default: `omit`, or `null` in the profile `formal`.',
    )
    expect(schemas.ProductCriteria.properties).toMatchObject({
      min_age: { maximum: 200, 'x-unit': 'years' },
      countries: { items: { 'x-issue': 'must be a country of two capital letters, such as ES' } },
      loan_amount: { 'x-unit': 'euros' },
    })
  })

  it('requires no token on this machine, but accepts one', () => {
    const probes = ['showHealth', 'showLiveness', 'showReadiness']
    for (const { security, operationId, responses } of operationObjects) {
      expect(security).toEqual(probes.includes(operationId) ? [] : [{}, { adminToken: [] }])
      expect('401' in responses).toBe(!probes.includes(operationId))
    }
  })

  it('is the same on this machine and on a shared host, except for the token', () => {
    const shared = JSON.parse(JSON.stringify(controlDocument(servers, { adminToken: 's3cret' })))
    const optional = JSON.stringify([{}, { adminToken: [] }])
    expect(JSON.stringify(plain).replaceAll(optional, JSON.stringify([{ adminToken: [] }]))).toBe(
      JSON.stringify(shared),
    )
  })

  it('requires a bearer token on a shared host, and does not reveal it', async () => {
    const shared = JSON.parse(JSON.stringify(controlDocument(servers, { adminToken: 's3cret' })))
    expect(await new Validator().validate(structuredClone(shared))).toEqual({ valid: true })
    expect(shared.components.securitySchemes.adminToken).toMatchObject({ type: 'http', scheme: 'bearer' })
    const { get } = shared.paths['/v1/tenants']
    expect(get.security).toEqual([{ adminToken: [] }])
    const [metrics, ready] = [operatorPaths.metrics, operatorPaths.ready].map(path => shared.paths[path].get)
    expect([metrics.security, ready.security]).toEqual([[{ adminToken: [] }], []])
    expect(Object.keys(get.responses)).toContain('401')
    expect(JSON.stringify(shared)).not.toContain('s3cret')
  })
})
