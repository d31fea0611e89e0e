import * as z from 'zod/mini'
import { advertiserCriteria, type Criterion, type CriterionUnit, type CriterionValue } from './criteria.ts'
import { productCriteria } from './rejections.ts'

/** The shapes of criteria, by their names. */
type ShapesOf<Criteria> = { -readonly [Name in keyof Criteria]: z.ZodMiniType<CriterionValue<Criteria[Name]>> }

const wholeNumber = z.int().check(z.gte(0))

const band = z
  .strictObject({ min: wholeNumber, max: wholeNumber })
  .check(z.refine(({ min, max }) => min <= max, 'must have a min that is not above its max'))

/** The shape of a product's criteria, all of them. */
export const productCriteriaShape = criteriaShape(productCriteria)

/** The shape of an advertiser's criteria, all of them. */
export const advertiserCriteriaShape = criteriaShape(advertiserCriteria)

function criteriaShape<Criteria extends Readonly<Record<string, Criterion>>>(criteria: Criteria) {
  const shapes = Object.entries(criteria).map(([name, criterion]) => [name, shapeOf(criterion)])
  return z.strictObject(Object.fromEntries(shapes) as ShapesOf<Criteria>)
}

function shapeOf(criterion: Criterion): z.ZodMiniType {
  if (criterion.type === 'band') return band.check(inUnit(criterion.unit))
  if (criterion.type === 'integer') {
    const { max = Number.MAX_SAFE_INTEGER, unit } = criterion
    return wholeNumber.check(z.lte(max), inUnit(unit))
  }
  const { values, format } = criterion
  const { maxItems = values?.length } = criterion
  const list = z.array(values ? z.enum(values) : z.string().check(...(format ? [formatCheck(format)] : [])))
  return maxItems === undefined ? list : list.check(z.maxLength(maxItems))
}

/** Notes a unit for the OpenAPI document. */
function inUnit(unit: CriterionUnit) {
  return z.meta<unknown>({ 'x-unit': unit })
}

function formatCheck(format: NonNullable<Extract<Criterion, { type: 'list' }>['format']>) {
  return 'pattern' in format
    ? z.regex(format.pattern, format.issue)
    : z.refine<string>(format.accepts, { error: format.issue, abort: true })
}
