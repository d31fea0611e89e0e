/** Whether two texts are equal, in a time that does not tell where they differ. */
export function equalInConstantTime(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index++)
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index % (b.length || 1))
  return difference === 0
}
