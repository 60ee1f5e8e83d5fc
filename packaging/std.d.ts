// Types of the parts of the standard library that tests use: the npm package has none.

declare module "@std/assert" {
  export function assert(condition: unknown, message?: string): asserts condition;
  export function assertEquals<T>(actual: T, expected: T, message?: string): void;
  export function assertMatch(actual: string, expected: RegExp, message?: string): void;
  export function assertNotEquals<T>(actual: T, expected: T, message?: string): void;
  export function assertObjectMatch(actual: object, expected: object, message?: string): void;
  export function assertRejects<E extends Error = Error>(
    call: () => PromiseLike<unknown>,
    type?: abstract new (...args: never[]) => E,
    includes?: string,
    message?: string,
  ): Promise<E>;
  export function assertStringIncludes(actual: string, expected: string, message?: string): void;
  export function assertThrows<E extends Error = Error>(
    call: () => unknown,
    type?: abstract new (...args: never[]) => E,
    includes?: string,
    message?: string,
  ): E;
}
