import type { ConformanceCase } from '../../../conformance-case.ts'
import { enumerationOf, statementOf } from './field-statement.ts'
import { valuesFor } from './field-values.ts'
import { fieldsOfSubmission, type ShapeField } from './read-shape.ts'
import { refusesEach, takesEach } from './try-values.ts'

/** Every field of a submission, as the contract has it. Other cases cover the differences between interpretations. */
export const leadFields: readonly ShapeField[] = fieldsOfSubmission()

/** What is tried of every field: what it takes, what it refuses, whether it may be missing. */
export const fieldCases: readonly ConformanceCase[] = leadFields.flatMap(casesOf)

function casesOf(field: ShapeField): ConformanceCase[] {
  const { path, isRequired, isNullable, min, max } = field
  const { right, wrong, strict } = valuesFor(field)
  const statement = statementOf(path)
  const [section = ''] = statement.split('/')
  const statements = [statement]
  const withWords = [statement, ...enumerationOf(field)]
  const nothing = isNullable ? [] : [null]
  // What was accepted says when: null goes with a declined consent, which is a case of its own.
  const takesNothing = isNullable && !path.endsWith('.accepted_at')

  const cases: (ConformanceCase | false)[] = [
    right.length > 0 && {
      id: `${section}/${path}-takes-right-values`,
      title: `takes ${path} with any value that it may have`,
      statements: withWords,
      run: target => takesEach(target, path, takesNothing ? [...right, null] : right),
    },
    {
      id: `${section}/${path}-refuses-wrong-values`,
      title: `refuses ${path} with a value that it cannot have`,
      statements: [...withWords, '7/400'],
      run: target => refusesEach(target, path, wrong),
    },
    min !== undefined &&
      max !== undefined && {
        id: `${section}/${path}-keeps-its-bounds`,
        title: `refuses ${path} a unit outside of its bounds`,
        statements: [statement, `8/${path.split('.').at(-1)}` as '8/loan_amount'],
        run: target => refusesEach(target, path, [min - 1, max + 1, 0, -min]),
      },
    isRequired && {
      id: `${section}/${path}-is-required`,
      title: `refuses a lead without ${path}`,
      statements: [statement, '4.1/rule-1'],
      run: target => refusesEach(target, path, [undefined]),
    },
    {
      id: `open/${path}-is-taken-to-the-letter`,
      title: `coerces nothing to what ${path} may be`,
      statements,
      weight: 'reading',
      run: target => refusesEach(target, path, [...strict, ...nothing]),
    },
  ]
  return cases.filter(each => each !== false)
}
