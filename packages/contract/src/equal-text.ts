/** Compares two texts in a time that depends on their lengths alone, so that a secret cannot be felt out. */
export function equalText(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length
  for (let index = 0; index < expected.length; index += 1) {
    difference |= given.charCodeAt(index % (given.length || 1)) ^ expected.charCodeAt(index)
  }
  return difference === 0
}
