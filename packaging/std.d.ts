// The types of what is used of the standard library, as the npm package has none.

declare module "@std/assert" {
  export function assert(condition: unknown, message?: string): asserts condition;
  export function assertEquals<T>(actual: T, expected: T, message?: string): void;
  export function assertMatch(actual: string, expected: RegExp, message?: string): void;
  export function assertNotEquals<T>(actual: T, expected: T, message?: string): void;
  export function assertObjectMatch(actual: object, expected: object, message?: string): void;
  export function assertRejects<E extends Error = Error>(
    call: () => PromiseLike<unknown>,
    // deno-lint-ignore no-explicit-any
    type?: abstract new (...args: any[]) => E,
    includes?: string,
    message?: string,
  ): Promise<E>;
  export function assertStringIncludes(actual: string, expected: string, message?: string): void;
  export function assertThrows<E extends Error = Error>(
    call: () => unknown,
    // deno-lint-ignore no-explicit-any
    type?: abstract new (...args: any[]) => E,
    includes?: string,
    message?: string,
  ): E;
}

declare module "@std/bytes/concat" {
  export function concat(arrays: readonly Uint8Array[]): Uint8Array<ArrayBuffer>;
}

declare module "@std/crypto/aes-gcm" {
  type Bytes = Uint8Array<ArrayBuffer>;
  export function encryptAesGcm(key: CryptoKey, text: Bytes): Promise<Bytes>;
  export function decryptAesGcm(key: CryptoKey, text: Bytes): Promise<Bytes>;
}

declare module "@std/crypto/timing-safe-equal" {
  export function timingSafeEqual(
    a: ArrayBufferView | ArrayBufferLike,
    b: ArrayBufferView | ArrayBufferLike,
  ): boolean;
}

declare module "@std/html/entities" {
  export function escape(text: string): string;
}

declare module "@std/http/etag" {
  export function ifMatch(value: string | null, etag: string | undefined): boolean;
  export function ifNoneMatch(value: string | null, etag: string | undefined): boolean;
}

declare module "@std/http/negotiation" {
  export function acceptsEncodings(
    request: { readonly headers: Headers },
    ...codings: string[]
  ): string | undefined;
  export function accepts(
    request: { readonly headers: Headers },
    ...types: string[]
  ): string | undefined;
}

declare module "@std/http/status" {
  export const STATUS_TEXT: Readonly<Record<number, string>>;
}
