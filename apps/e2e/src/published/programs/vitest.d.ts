// The part of vitest that the type tests use: vitest's own declarations do not compile without `skipLibCheck`. Type
// tests are only compiled here, never run.
interface Held {
  toBe(value: unknown): void
  toBeTypeOf(type: string): void
  toContain(value: unknown): void
  toEqual(value: unknown): void
  toHaveLength(length: number): void
  toMatchObject(value: unknown): void
}
export function it(title: string, test: () => void): void
export function describe(title: string, tests: () => void): void
export function expect(value: unknown): Held
