import { controlBounds } from '@lead-distribution/simulator/paths'
import { InvalidArgumentError } from 'commander'

/** Reads a whole number within the bounds that the control plane has for it, or from a higher least one on. */
export function wholeNumber(name: keyof typeof controlBounds, least: number = controlBounds[name].min) {
  const { max } = controlBounds[name]
  return (text: string): number => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < least || value > max)
      throw new InvalidArgumentError(`Give a whole number from ${least} to ${max}.`)
    return value
  }
}

/** Reads a probability. */
export function probability(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError('Give a number from 0, never, to 1, always.')
  return value
}
