import type { Scope } from "../keys/api_key.ts";

/** The roles of members, from the fewest rights to the most. */
export const ROLES = ["writer", "editor", "admin"] as const;

/** One of the {@linkcode ROLES}. */
export type Role = typeof ROLES[number];

const WRITER: readonly Scope[] = ["boards:read", "posts:read", "entries:read", "entries:write"];

export const ROLE_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  writer: WRITER,
  editor: [
    ...WRITER,
    "boards:write",
    "posts:write",
    "posts:publish",
    "entries:publish",
    "subscriptions:read",
    "subscriptions:write",
    "settings:write",
    "metrics:read",
  ],
  admin: ["*"],
};
