import type { Target } from '../target.ts'
import type { Finding, Point } from './finding.ts'
import { openPoints } from './open-points.ts'

/** How a target reads every open point, in their order. */
export function findReadings(target: Target): Promise<Finding[]> {
  return Promise.all(Object.keys(openPoints).map(point => target.finding(point as Point)))
}
