import { DEFAULT_SCOPES, parseScopes, SCOPES } from "../model/api_key.ts";
import { parseName } from "../model/board.ts";
import { addMs, issueKey } from "../model/issue_key.ts";
import { Refusal } from "../model/refusal.ts";
import { parseDuration } from "../model/time.ts";
import type { Command } from "./_command.ts";
import { writeErr, writeOut } from "./_io.ts";
import { type Given, UsageError } from "./_options.ts";
import { openStorage, STORAGE_OPTION } from "./_storage.ts";

/** The commands that manage API keys. */
export const keyCommands: readonly Command[] = [
  {
    name: "keys create",
    summary: "Create an API key and print its text, once",
    options: [
      STORAGE_OPTION,
      { name: "name", value: "NAME", description: "What the key is for (required)." },
      {
        name: "scope",
        value: "SCOPE",
        multiple: true,
        description: `What the key may do: ${SCOPES.join(", ")}. Repeat it for more ` +
          `(default: ${DEFAULT_SCOPES.join(" and ")}).`,
      },
      {
        name: "expires",
        value: "DURATION",
        description: "How long the key lives, like 12h or 90d (default: for ever).",
      },
    ],
    example: "boardcast keys create --name 'Web app' --expires 90d",
    async run({ given }) {
      const request = readKeyRequest(given);
      const storage = await openStorage(given);
      try {
        const now = new Date().toISOString();
        const { expiresMs, ...rest } = request;
        const expiresAt = expiresMs === undefined ? null : addMs(now, expiresMs);
        const { key, text } = issueKey({ ...rest, expiresAt }, now);
        await storage.apiKeys.create(key);
        writeErr(
          `Created the API key ${key.keyId} (${key.scopes.join(" ")}); it is shown only once:\n`,
        );
        writeOut(`${text}\n`);
        return 0;
      } finally {
        await storage.close();
      }
    },
  },
];

function readKeyRequest(given: Given) {
  const name = accept("name", parseName(required(given, "name")));
  const texts = given.texts("scope");
  const scopes = texts.length === 0
    ? DEFAULT_SCOPES
    : accept("scope", parseScopes(texts.join(" ")));
  const text = given.text("expires");
  const expiresMs = text === undefined ? undefined : accept("expires", parseDuration(text));
  return { name, scopes, expiresMs };
}

function required(given: Given, name: string): string {
  const text = given.text(name);
  if (text === undefined) throw new UsageError(`--${name} is required`);
  return text;
}

function accept<T>(name: string, value: T | Refusal): T {
  if (value instanceof Refusal) throw new UsageError(`--${name} ${value.detail}`);
  return value;
}
