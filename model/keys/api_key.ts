import { NAME_MAX_CODE_POINTS, parseName, parseWords } from "../values/text.ts";
import type { Refusal } from "../values/refusal.ts";
import { hidden, text, textOrNull, time, timeOrNull, words } from "../declare.ts";
import { type Resource, type ShownOf, showRecord } from "../resource.ts";
import { addMs, parseInstant } from "../values/time.ts";

/** The operations that keys can allow; `*` means all. */
export const SCOPES = [
  "boards:read",
  "boards:write",
  "posts:read",
  "posts:write",
  "posts:publish",
  "entries:read",
  "entries:write",
  "entries:publish",
  "subscriptions:read",
  "subscriptions:write",
  "webhooks:write",
  "settings:write",
  "keys:write",
  "metrics:read",
  "*",
] as const;

/** One of the {@linkcode SCOPES}. */
export type Scope = typeof SCOPES[number];

/** The default scopes of a key: those of the two documented operations. */
export const DEFAULT_SCOPES: readonly Scope[] = ["boards:read", "subscriptions:write"];

/** An API key without its secret, as storage keeps it. */
export interface ApiKey {
  /** The identifier, which is not secret: the first 16 characters of `hash`. */
  readonly keyId: string;
  /** SHA-256 of the secret, in hexadecimal: 64 characters. */
  readonly hash: string;
  /** The purpose of the key, in 1 to 200 code points. */
  readonly name: string;
  /** The first 7 characters of the secret. */
  readonly hint: string;
  /** The operations that the key allows; at least one scope. */
  readonly scopes: readonly Scope[];
  /** The name of the key or member that made the key; `null` where it isn't known. */
  readonly createdBy: string | null;
  /** The `keyId` or `memberId` of who made the key; `null` where it isn't known. */
  readonly createdById: string | null;
  /** When the key was issued (RFC 3339, UTC, milliseconds). */
  readonly createdAt: string;
  /** When the key expires (RFC 3339, UTC, milliseconds); `null` for never. */
  readonly expiresAt: string | null;
  /** When the key was revoked (RFC 3339, UTC, milliseconds); `null` if it has not been. */
  readonly revokedAt: string | null;
  /**
   * The start of the minute in which the key was last accepted (RFC 3339, UTC, milliseconds);
   * `null` if it never was.
   */
  readonly lastUsedAt: string | null;
  /** The identifier of the key's successor; `null` if there is none. */
  readonly successorId: string | null;
  /** The value of `expiresAt` before the rotation; `null` if there is no successor. */
  readonly expiredBefore: string | null;
}

/** The fields of an API key. @internal */
export const API_KEY = {
  name: "apiKeys",
  key: "keyId",
  title: "Key",
  description: "An API key, without its secret.",
  fields: {
    keyId: text("The identifier, which is not secret.", "4f92a8e1b07c3d65", {
      limits: { minLength: 1, maxLength: 128 },
    }),
    hash: hidden("text", { limits: { pattern: "^[0-9a-f]{64}$" } }),
    name: text("What the key is for. Normalised to NFC and trimmed.", "Web app", {
      rules: { minLength: 1, maxLength: NAME_MAX_CODE_POINTS },
      parse: parseName,
    }),
    hint: text("The first 7 characters of the secret.", "bc_0000", { limits: { maxLength: 16 } }),
    scopes: words(
      "What the key may do; `*` is everything.",
      ["boards:read", "subscriptions:write"],
      {
        rules: { enum: SCOPES },
        parse: (text: string): readonly Scope[] | Refusal => parseWords(text, SCOPES, "scope"),
        default: DEFAULT_SCOPES,
        limits: { minItems: 1 },
      },
    ),
    createdBy: textOrNull(
      "The name of the key or member that made the key; `operator` where the command did.",
      "operator",
    ),
    createdById: textOrNull("The `keyId` or `memberId` of who made the key.", "operator"),
    createdAt: time("When the key was issued."),
    expiresAt: timeOrNull(
      "When the key expires; `null`: never. Not together with `expiresIn`.",
      "2027-02-19T10:00:00.000Z",
      { parse: parseInstant },
    ),
    revokedAt: timeOrNull("When the key was revoked; `null`: it has not been.", null),
    lastUsedAt: timeOrNull("The minute in which the key was last accepted; `null`: never.", null),
    successorId: hidden("text?"),
    expiredBefore: hidden("time?"),
  },
  indexes: { byAge: { by: "createdAt" } },
  references: { successorId: { to: "apiKeys" } },
  staleMs: 500,
} as const satisfies Resource;

/** @internal A key as the API shows it. */
export type ShownKey = ShownOf<typeof API_KEY.fields>;

/** @internal Returns a key as the API shows it. */
export function showKey(key: ApiKey): ShownKey {
  return showRecord(API_KEY, key, {});
}

// Clocks of two processes may differ by minutes. A use further ahead was recorded by a wrong clock.
const USE_AHEAD_MS = 15 * 60_000;

/** Tells whether a use in a minute replaces the last recorded use of a key. */
export function isLaterUse(lastUsedAt: string | null, minute: string): boolean {
  return lastUsedAt === null || lastUsedAt < minute || lastUsedAt > addMs(minute, USE_AHEAD_MS);
}

/** Tells whether the scopes `held` include `scope`. */
export function grantsScope(held: readonly Scope[], scope: Scope): boolean {
  return held.includes(scope) || held.includes("*");
}

/** Tells whether a key is accepted at a time (RFC 3339, UTC, milliseconds). */
export function isLiveKey(key: ApiKey, now: string): boolean {
  return key.revokedAt === null && (key.expiresAt === null || now < key.expiresAt);
}
