import type * as z from 'zod/mini'

/** Makes a shape faster that answers as it did before; how, and whether at all, is the matter of who composes the service. */
export type CompileShape = <Shape extends z.ZodMiniType>(shape: Shape) => Shape
