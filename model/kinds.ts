import type { ApiKey } from "./api_key.ts";
import type { Board } from "./board.ts";
import type { AnyKind, Kind } from "./kind.ts";
import type { Subscription } from "./subscription.ts";

/** The feedback boards. */
export const BOARDS: Kind<Board> = {
  name: "boards",
  key: "boardId",
  fields: {
    boardId: "text",
    name: "text",
    description: "text?",
    url: "text?",
    createdAt: "time",
    updatedAt: "time",
  },
};

/** The changelog subscriptions. */
export const SUBSCRIPTIONS: Kind<Subscription> = {
  name: "subscriptions",
  key: "userEmail",
  fields: {
    userEmail: "text",
    userName: "text?",
    subscribed: "boolean",
    source: "text",
    createdAt: "time",
    updatedAt: "time",
  },
  indexes: {
    subscribed: { where: { subscribed: true } },
    unsubscribed: { where: { subscribed: false } },
  },
  personal: true,
};

/** The API keys. */
export const API_KEYS: Kind<ApiKey> = {
  name: "apiKeys",
  key: "keyId",
  fields: {
    keyId: "text",
    hash: "text",
    name: "text",
    hint: "text",
    scopes: "texts",
    createdAt: "time",
    expiresAt: "time?",
    revokedAt: "time?",
    lastUsedAt: "time?",
    successorId: "text?",
  },
  indexes: { byAge: { by: "createdAt" } },
  staleMs: 500,
};

/** A text that the processes on one storage agree on; the first that needs it creates it. */
export interface Setting {
  /** What it is for. */
  readonly settingId: string;
  /** The text. */
  readonly value: string;
}

/** What the processes on one storage agree on. */
export const SETTINGS: Kind<Setting> = {
  name: "settings",
  key: "settingId",
  fields: { settingId: "text", value: "text" },
};

/** All kinds, keys last: storage in which a copy is incomplete lets no app in. */
export const KINDS: readonly AnyKind[] = [SETTINGS, BOARDS, SUBSCRIPTIONS, API_KEYS];
