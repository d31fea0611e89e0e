/**
 * An enumeration that a newer service may have added to: the known words complete in an editor, and any other
 * text is possible.
 */
export type Open<Known extends string> = Known | (string & Record<never, never>)
