import { type FieldIssue, type Interpretation, proseInterpretation } from '@lead-distribution/contract'
import { fieldIssues, type Lead, leadSubmission } from '@lead-distribution/contract/shapes'
import type { CompileShape } from '../ports/compile-shape.ts'
import type { PortabilityWarning } from '../warning.ts'

/** A body that has the shape of a lead, or what is wrong with it; and what the other reading would say. */
export type ReadLead =
  | { readonly lead: Lead; readonly issues?: never; readonly warnings: PortabilityWarning[] }
  | { readonly lead?: never; readonly issues: FieldIssue[]; readonly warnings: PortabilityWarning[] }

/** Reads a submission under any reading; holds the shapes, compiled once each. */
export type LeadReader = (body: unknown, reading: Interpretation) => ReadLead

/**
 * Makes a reader. Points 1 and 2 of the open points decide which shape is asked for. The shapes are interpreted where
 * nothing compiles them.
 */
export function createLeadReader(compileShape: CompileShape = shape => shape): LeadReader {
  type Shape = ReturnType<typeof leadSubmission>
  const shapes = new Map<string, Shape>()
  /** By the settings of an account, which stay the same object: a look-up by name is a fiftieth of a request. */
  const known = new WeakMap<Interpretation, Shape>()
  const shapeOf = (reading: Interpretation): Shape => known.get(reading) ?? findShape(reading)
  function findShape(reading: Interpretation): Shape {
    const name = `${reading.gender} ${reading.consent_metadata}`
    const shape = shapes.get(name) ?? compileShape(leadSubmission(reading))
    shapes.set(name, shape)
    known.set(reading, shape)
    return shape
  }
  return (body, reading) => {
    const result = shapeOf(reading).safeParse(body)
    if (result.success) return { lead: result.data, warnings: refusedElsewhere(result.data, reading) }
    const issues = fieldIssues(result.error.issues, body)
    return { issues, warnings: shapeOf(proseInterpretation).safeParse(body).success ? acceptedElsewhere(issues) : [] }
  }
}

function refusedElsewhere(lead: Lead, reading: Interpretation): PortabilityWarning[] {
  const warnings: PortabilityWarning[] = []
  const would = 'answer 400 validation_error'
  if (lead.customer.personal_data.gender === undefined)
    warnings.push({ switch: 'gender', reading: reading.gender, other_reading: 'required', would })
  if (lead.consents.metadata === undefined)
    warnings.push({ switch: 'consent_metadata', reading: reading.consent_metadata, other_reading: 'required', would })
  return warnings
}

const fieldOf = { gender: 'customer.personal_data.gender', consent_metadata: 'consents.metadata' } as const

/** The prose reading takes it: then all that is wrong is fields missing that only the formal schema requires. */
function acceptedElsewhere(issues: readonly FieldIssue[]): PortabilityWarning[] {
  const names = (['gender', 'consent_metadata'] as const).filter(name =>
    issues.some(({ field }) => field === fieldOf[name]),
  )
  return names.map(name => ({
    switch: name,
    reading: 'required',
    other_reading: 'optional',
    would: 'accept the shape',
  }))
}
