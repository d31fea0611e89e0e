import type { Operation } from '@lead-distribution/contract/shapes'

/** The part of an operation that handling needs: its path, its methods, and the shapes of its input and response. */
export type DeclaredOperation = Pick<
  Operation<string>,
  'methods' | 'path' | 'in' | 'input' | 'validation' | 'lines' | 'status'
> &
  Partial<Pick<Operation<string>, 'reply' | 'streams' | 'maxBodyBytes'>>

/** The parameter names of a path: `'tenant' | 'lead_id'` for `/tenants/:tenant/leads/:lead_id`. */
export type PathParameter<Path extends string> = string extends Path
  ? string
  : Path extends `${string}:${infer Name}/${infer Rest}`
    ? Name | PathParameter<`/${Rest}`>
    : Path extends `${string}:${infer Name}`
      ? Name
      : never

/** An operation's input as a client sends it: `unknown` if the handler validates it, `undefined` if there is none. */
export type SentInput<Operation> = Operation extends { readonly validation: 'handler' }
  ? unknown
  : Operation extends { readonly input: Shape<infer Sent, unknown> }
    ? Sent
    : undefined

/** The input as a handler receives it: validated, with defaults; for newline-delimited JSON, the raw body. */
export type ReceivedInput<Operation> = Operation extends { readonly lines: 'input' }
  ? Uint8Array
  : Operation extends { readonly validation: 'handler' }
    ? unknown
    : Operation extends { readonly input: Shape<unknown, infer Received> }
      ? Received
      : undefined

/** The body of an operation's response. */
export type ReplyOf<Operation> = Operation extends { readonly reply: Shape<unknown, infer Reply> } ? Reply : never

/** A value that its receiver must not change: a handler may return shared data. */
export type Immutable<Value> = Value extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
    : Value

/** A zod shape, as far as its types go. */
export interface Shape<Input, Output> {
  readonly _zod: { readonly input: Input; readonly output: Output }
}
