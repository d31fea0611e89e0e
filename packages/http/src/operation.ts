import type { Operation } from '@lead-distribution/contract/shapes'

/** The part of an operation that handling needs: its path, its methods, and the shapes of its input and its response. */
export type DeclaredOperation = Pick<
  Operation<string>,
  'methods' | 'path' | 'in' | 'input' | 'validation' | 'lines' | 'status'
> &
  Partial<Pick<Operation<string>, 'reply' | 'streams' | 'maxBodyBytes'>>

/** The names of a path's parameters: `'tenant' | 'lead_id'` of `/tenants/:tenant/leads/:lead_id`. */
export type PathParameter<Path extends string> = string extends Path
  ? string
  : Path extends `${string}:${infer Name}/${infer Rest}`
    ? Name | PathParameter<`/${Rest}`>
    : Path extends `${string}:${infer Name}`
      ? Name
      : never

/** The input of an operation as a client sends it: `unknown` if the handler validates it, `undefined` if none. */
export type SentInput<Operation> = Operation extends { readonly validation: 'handler' }
  ? unknown
  : Operation extends { readonly input: Shape<infer Sent, unknown> }
    ? Sent
    : undefined

/** The input as a handler receives it: validated, with defaults; the raw body if it is lines of JSON. */
export type ReceivedInput<Operation> = Operation extends { readonly lines: 'input' }
  ? Uint8Array
  : Operation extends { readonly validation: 'handler' }
    ? unknown
    : Operation extends { readonly input: Shape<unknown, infer Received> }
      ? Received
      : undefined

/** The body of an operation's response. */
export type ReplyOf<Operation> = Operation extends { readonly reply: Shape<unknown, infer Reply> } ? Reply : never

/** A value that its receiver does not change: a handler may return what it shares. */
export type Immutable<Value> = Value extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
    : Value

/** A shape of zod, as far as its types go. */
export interface Shape<Input, Output> {
  readonly _zod: { readonly input: Input; readonly output: Output }
}
