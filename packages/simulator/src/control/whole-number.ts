import * as z from 'zod/mini'
import { controlBounds } from '../paths.ts'

/** A whole number within the bounds of its name. */
export function wholeNumber(name: keyof typeof controlBounds) {
  const { min, max } = controlBounds[name]
  return z.int().check(z.gte(min), z.lte(max))
}
