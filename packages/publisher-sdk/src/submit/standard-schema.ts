/** One issue, as Standard Schema has it. */
export interface StandardIssue {
  readonly message: string
  readonly path: readonly (string | number)[]
}

/** What form and router libraries know a validator by (https://standardschema.dev, version 1). */
export interface StandardSchema<Value> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (
      value: unknown,
    ) => { readonly value: Value; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] }
    readonly types?: { readonly input: Value; readonly output: Value } | undefined
  }
}
