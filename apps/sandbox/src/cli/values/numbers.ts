import { InvalidArgumentError } from 'commander'

/** Reads a whole number from a least to a greatest. */
export function wholeNumber(least: number, greatest: number) {
  return (text: string): number => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < least || value > greatest)
      throw new InvalidArgumentError(`Give a whole number from ${least} to ${greatest}.`)
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
