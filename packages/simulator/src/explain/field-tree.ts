import type { Interpretation } from '@lead-distribution/contract'
import { leadSubmission } from '@lead-distribution/contract/shapes'
import type * as z from 'zod/mini'

/** What the contract's shape says of one field of a submission. */
export interface Field {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'boolean'
  readonly required: boolean
  readonly nullable: boolean
  /** The format of a text, by its name in the contract. */
  readonly format: string | undefined
  /** The values of an enumeration. */
  readonly permitted: readonly string[] | undefined
  /** The fields of an object. */
  readonly fields: ReadonlyMap<string, Field>
  /** The names of those that are required. */
  readonly requiredNames: readonly string[]
  /** What an array holds. */
  readonly items: Field | undefined
}

/** The fields of a submission under a reading, from the contract's own shape. */
export function fieldTree(reading: Interpretation): Field {
  return fieldOf(leadSubmission(reading))
}

function fieldOf(shape: z.core.$ZodType): Field {
  const { def } = (shape as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'optional':
    case 'default':
      return { ...fieldOf(def.innerType), required: false }
    case 'nullable':
      return { ...fieldOf(def.innerType), nullable: true }
    case 'object': {
      const fields = new Map(Object.entries(def.shape).map(([name, of]) => [name, fieldOf(of)]))
      const requiredNames = [...fields].filter(([, { required }]) => required).map(([name]) => name)
      return { ...plain, type: 'object', fields, requiredNames }
    }
    case 'array':
      return { ...plain, type: 'array', items: fieldOf(def.element) }
    case 'enum':
      return { ...plain, type: 'string', permitted: Object.values(def.entries).map(String) }
    case 'string':
      return { ...plain, type: 'string', format: 'format' in def ? String(def.format) : undefined }
    case 'number':
      return { ...plain, type: 'integer' }
    case 'boolean':
      return { ...plain, type: 'boolean' }
    default:
      throw new Error(`A submission holds a ${def.type}: say here what that is.`)
  }
}

/** What holds of most fields. */
const plain = {
  required: true,
  nullable: false,
  format: undefined,
  permitted: undefined,
  fields: new Map<string, Field>(),
  requiredNames: [],
  items: undefined,
}
