import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { type Operation, operations } from '../operations.ts'
import { errorStatus } from '../wire-error.ts'
import { type DocumentOptions, openApiDocument } from './document.ts'
import { fieldNotes } from './field-notes.generated.ts'
import { namedSchemas } from './schemas.ts'
import { serviceComponents, serviceDocument, serviceExamples } from './service-document.ts'

const document = serviceDocument([{ url: 'http://127.0.0.1:4010/api/v1' }])
const plain = JSON.parse(JSON.stringify(document))
const named = namedSchemas({
  components: serviceComponents,
  operations: {},
  notes: fieldNotes,
  openEnumerations: {},
})

interface OperationObject {
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters?: readonly { readonly name: string; readonly required: boolean; readonly example?: string }[]
}

const operationObjects = [...Object.values<object>(plain.paths), ...Object.values<object>(plain.webhooks)].flatMap(
  item =>
    Object.entries<OperationObject>(item as Record<string, OperationObject>)
      .filter(([method]) => method !== 'parameters')
      .map(([, operation]) => operation),
)

describe("the service's OpenAPI document", () => {
  it('is valid OpenAPI 3.1', async () => {
    expect(await new Validator().validate(structuredClone(plain))).toEqual({ valid: true })
  })

  it('is plain JSON', () => {
    expect(plain).toEqual(document)
  })

  it.each(Object.entries(operations))('lists %s under each of its methods', (_name, { path, methods, errors }) => {
    const item = plain.paths[path.replace(':lead_id', '{lead_id}')]
    // A service may accept only one of several methods, and may be unavailable to any request.
    const others = methods.length > 1 ? ['405', '503'] : ['503']
    const declared = new Set(['200', ...errors.map(code => String(errorStatus[code])), ...others])
    for (const method of methods) {
      const statuses = Object.keys(item[method.toLowerCase()].responses)
      expect(statuses).toEqual([...[...declared].sort(), 'default'])
    }
  })

  it("declares both errors of a service that can't accept the request", () => {
    const { post, get } = { ...plain.paths['/lead'], ...plain.paths['/lead/{lead_id}/status'] }
    for (const { responses } of [post, get, plain.paths['/lead'].post])
      expect(responses[503].description).toMatch(/`service_unavailable`: .*`overloaded`: /)
  })

  it('has one server for the whole document, and an example of every required parameter', () => {
    expect(JSON.stringify(plain.paths)).not.toContain('"servers"')
    const items = Object.values<Pick<OperationObject, 'parameters'>>(plain.paths)
    const parameters = [...items, ...operationObjects].flatMap(each => each.parameters ?? [])
    const examples = parameters.filter(({ required }) => required).map(({ name, example }) => [name, typeof example])
    expect(examples).toEqual(['lead_id', 'token', 'event', 'lead_id', 'event'].map(name => [name, 'string']))
  })

  it('gives every operation a short title and a description', () => {
    for (const { summary, description } of operationObjects) {
      expect(summary).toMatch(/^[A-Z][a-z]+( [a-z]+){1,4}$/)
      expect(description).toMatch(/^[A-Z].*Section \d\.\d of the specification\.$/)
    }
  })

  it('describes the callback to the publisher, without its unknown URL', () => {
    const { get } = plain.webhooks.leadEvent
    expect(get.parameters.slice(0, 2).map((each: { name: string }) => each.name)).toEqual(['lead_id', 'event'])
    expect(Object.keys(get.responses)).toEqual(['2XX', 'default'])
  })

  it('allows any text where the service may return or accept new values', () => {
    const { LeadResponse, EventReply, StatusUpdate } = plain.components.schemas
    const { status, rejection_reason } = LeadResponse.properties
    for (const open of [status, rejection_reason, EventReply.properties.event, EventReply.properties.status])
      expect(open.anyOf.at(-1)).toEqual({ type: 'string' })
    expect(status.anyOf[0].enum).toEqual(['new', 'distributed', 'rejected'])
    expect(StatusUpdate.properties.status.anyOf.at(-1)).toEqual({ type: 'string' })
    // Values that the service refuses stay closed.
    expect(plain.components.schemas.PersonalData.properties.gender.enum).toEqual(['male', 'female', 'other'])
  })

  it('gives every operation its own id', () => {
    const ids = [...JSON.stringify(plain.paths).matchAll(/"operationId":"(\w+)"/g)].map(([, id]) => id)
    expect(ids).toEqual(['submitLead', 'reportStatus', 'reportStatusByPatch', 'reportEvent'])
  })

  it('groups the operations by caller, and describes each group', () => {
    const declared = plain.tags.map(({ name }: { name: string }) => name)
    expect(new Set(operationObjects.flatMap(({ tags }) => tags))).toEqual(new Set(declared))
    for (const { description } of plain.tags) expect(description).toMatch(/^[A-Z].*\.$/)
    expect(plain.paths['/lead'].post.tags).toEqual(['publishers'])
    expect(plain.paths['/lead/{lead_id}/status'].get.tags).toEqual(['advertisers'])
  })

  it('requires the key of the right scope, and the token where it applies', () => {
    const status = plain.paths['/lead/{lead_id}/status']
    expect(plain.paths['/lead'].post.security).toEqual([{ publisherKey: [] }])
    expect(status.post.security).toEqual([{ advertiserKey: [] }])
    expect(status.get.security).toEqual([])
    expect(status.get.parameters.map((each: { name: string }) => each.name)).toEqual(['token', 'event', 'ref'])
  })

  it('refers to every component, and to no missing ones', () => {
    const referred = new Set(
      [...JSON.stringify(plain).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name),
    )
    expect([...referred].sort()).toEqual(Object.keys(plain.components.schemas).sort())
  })

  it.each(Object.keys(serviceComponents))('describes %s and its fields in sentences', name => {
    const { description, properties } = named.schemaOf(serviceComponents[name as keyof typeof serviceComponents])
    expect(description).toMatch(/^\w.*\.$/)
    for (const [field, property] of Object.entries(properties as object)) {
      expect(property.description, field).toMatch(/^[`A-Z].*\.$/)
      // Client generators require a field with a default of the sender. Its description states the default.
      expect(property).not.toHaveProperty('default')
    }
  })

  it('contains examples that match the shapes', () => {
    for (const [name, examples] of Object.entries(serviceExamples)) {
      const { input, reply } = operations[name as keyof typeof operations]
      const { request = {} } = examples as { request?: Record<string, unknown> }
      for (const each of Object.values(request)) expect(z.safeParse(input, each).success).toBe(true)
      for (const each of Object.values(examples.reply)) expect(z.safeParse(reply, each).success).toBe(true)
    }
  })
})

describe('the schemas of any shapes', () => {
  const thing = z.object({ name: z.string(), size: z.int().check(z.gte(3), z.lte(9)), count: z.int() })
  const list = z.array(thing)
  const made = () =>
    namedSchemas({
      components: { Thing: thing, List: list, Plain: z.string() },
      operations: {},
      notes: {
        Thing: { description: 'A thing.', fields: { name: 'Its name.' } },
        List: { description: 'All.', fields: {} },
      },
      openEnumerations: {},
    })

  it('keep only the bounds that a shape declares', () => {
    const { schemaOf } = made()
    expect(schemaOf(thing)).toMatchObject({ properties: { size: { minimum: 3, maximum: 9 } } })
    expect(Object(schemaOf(thing).properties).count).toStrictEqual({ type: 'integer' })
  })

  it('contain the existing notes, with or without fields', () => {
    const { schemaOf, referenceTo, schemas } = made()
    expect(Object(schemaOf(thing).properties).name).toStrictEqual({ description: 'Its name.', type: 'string' })
    expect(schemaOf(list)).toStrictEqual({ description: 'All.', type: 'array', items: referenceTo(thing) })
    expect(schemas.Plain).toStrictEqual({ type: 'string' })
  })

  it('are not created for a shape without a name', () => {
    expect(() => made().referenceTo(z.string())).toThrow('add it to the components')
  })
})

describe('the document of any operations table', () => {
  it('names shapes after their operation, has another status, and omits the key of operations that need none', async () => {
    const thing = z.object({ name: z.string() })
    const made = openApiDocument({
      title: 'Things',
      version: '1',
      servers: [],
      operations: {
        makeThing: {
          title: 'Make a thing',
          methods: ['POST'],
          path: '/things/:kind',
          in: 'body',
          input: thing,
          status: 201,
          reply: z.array(thing),
          errors: ['validation_error'],
        },
        listThings: {
          title: 'List things',
          methods: ['GET'],
          path: '/things/:kind',
          in: 'query',
          input: z.object({ limit: z.optional(z.int()) }),
          reply: z.array(thing),
          errors: [],
        },
      },
    })
    const { post, get, parameters } = JSON.parse(JSON.stringify(made.paths['/things/{kind}']))
    expect(post).toMatchObject({ summary: 'Make a thing', requestBody: { required: true } })
    expect(post).not.toHaveProperty('description')
    expect(Object.keys(post.responses)).toEqual(['201', '400'])
    expect(post.requestBody.content['application/json'].schema.$ref).toBe('#/components/schemas/MakeThingInput')
    expect(get.parameters).toEqual([{ name: 'limit', in: 'query', required: false, schema: { type: 'integer' } }])
    expect(parameters).toMatchObject([{ name: 'kind', in: 'path', required: true }])
    expect(Object.keys(made.components.schemas)).not.toContain('ListThingsInput')
    expect(await new Validator().validate(JSON.parse(JSON.stringify(made)))).toEqual({ valid: true })
  })
})

describe('an optional body', () => {
  const bodyOf = (row: Partial<Operation<string>>, optionalBody = true) => {
    const operation: Operation<string> = {
      title: 'Make a thing',
      methods: ['POST'],
      path: '/things',
      in: 'none',
      reply: z.object({}),
      errors: [],
      ...row,
    }
    const options = { title: 'Things', version: '1', servers: [], operations: { operation }, optionalBody }
    const [item] = Object.values(openApiDocument(options).paths)
    return Object(Object.values(item ?? {}).find(each => 'operationId' in each)).requestBody
  }
  const optional = z.object({ name: z.optional(z.string()) })

  it('is required unless an empty object is accepted', () => {
    expect(bodyOf({ in: 'body', input: optional })).toMatchObject({ required: false })
    expect(bodyOf({ in: 'body', input: z.object({ name: z.string() }) })).toMatchObject({ required: true })
    expect(bodyOf({ in: 'body', input: optional }, false)).toMatchObject({ required: true })
  })

  it('may be an empty object if a POST has no input', () => {
    expect(bodyOf({})).toMatchObject({ required: false })
    expect([bodyOf({}, false), bodyOf({ methods: ['DELETE'] })]).toEqual([undefined, undefined])
  })
})

describe('the errors of any operations table', () => {
  const document = (options: Partial<DocumentOptions>) =>
    openApiDocument({
      title: 'Things',
      version: '1',
      servers: [],
      operations: {
        makeThing: {
          title: 'Make a thing',
          methods: ['POST'],
          path: '/things',
          in: 'none',
          reply: z.object({}),
          errors: ['thing_exists', 'thing_stays', 'unauthorized'],
        },
      },
      ...options,
    })

  it('are grouped by status, each with its meaning', () => {
    const errorStatus = { thing_exists: 409, thing_stays: 409 }
    const { paths } = document({ errorStatus, errorNotes: { thing_exists: 'it is there.' } })
    const { responses } = JSON.parse(JSON.stringify(paths['/things'])).post
    expect(Object.keys(responses)).toEqual(['200', '401', '409'])
    expect(responses[409].description).toBe('`thing_exists`: it is there. `thing_stays`.')
  })

  it('must have a status', () => {
    expect(() => document({ errorStatus: { thing_exists: 409 } })).toThrow('thing_stays')
  })
})
