const pattern = /^([^+@]+)\+[^@]*@sandbox\.test$/i

/** What stands before the plus of `<scenario>+<anything>@sandbox.test`, in lower case; undefined for another address. */
export function scenarioOfEmail(email: string): string | undefined {
  return pattern.exec(email)?.[1]?.toLowerCase()
}
