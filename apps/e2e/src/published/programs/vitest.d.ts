// As much of vitest as the type tests use: its own declarations do not compile without `skipLibCheck`. What a type test
// holds is in its types; nothing of it runs here.
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
