import {
  type ApiKey,
  DEFAULT_SCOPES,
  isLiveKey,
  parseScopes,
  SCOPES,
  showKey,
} from "../model/api_key.ts";
import { type IssuedKey, issueKey, issueSuccessor, parseOverlap } from "../model/issue_key.ts";
import { parseName } from "../model/name.ts";
import { Refusal } from "../model/refusal.ts";
import { addMs, parseDuration } from "../model/time.ts";
import type { Command, Invocation } from "./_command.ts";
import { formatDay, JSON_OPTION, printListing } from "./_listing.ts";
import { UsageError } from "./_options.ts";
import { LASTING_STORAGE_OPTIONS, withStorage } from "./_storage.ts";
import { accept, optionalValue, requiredText } from "./_values.ts";

/** The commands that manage API keys. */
export const keyCommands: readonly Command[] = [
  {
    name: "keys create",
    summary: "Create an API key and print its text, once",
    options: [
      { name: "name", value: "NAME", required: true, description: "What the key is for." },
      {
        name: "scope",
        value: "SCOPE",
        multiple: true,
        description: `What the key may do: ${SCOPES.join(", ")}. Repeat it for more. ` +
          `[default: ${DEFAULT_SCOPES.join(" and ")}]`,
      },
      {
        name: "expires",
        value: "DURATION",
        description:
          "How long the key is valid: a whole number and s, m, h or d, like 12h or 90d. " +
          "[default: no limit]",
      },
      ...LASTING_STORAGE_OPTIONS,
    ],
    details: [
      "Standard output gets nothing but the text of the key. Only its hash is stored, so the text " +
      "can't be shown again.",
    ],
    example: "boardcast keys create --name 'Web app' --scope boards:read --expires 90d",
    overHttp: (given) => ({
      method: "POST",
      path: "/keys",
      fields: {
        name: given.text("name"),
        scopes: given.texts("scope").join(" ") || undefined,
        expiresIn: given.text("expires"),
      },
      note: "KEY needs the scope keys:write; if you have none, stop the server first.",
    }),
    run: createKey,
  },
  {
    name: "keys list",
    summary: "List the API keys, without their texts",
    options: [JSON_OPTION, ...LASTING_STORAGE_OPTIONS],
    details: ["Revoked and expired keys stay in the list. Dates are in UTC."],
    example: "boardcast keys list --json",
    async run(invocation) {
      const now = new Date().toISOString();
      await withStorage(invocation, ({ apiKeys }) =>
        printListing(invocation, {
          noun: "API keys",
          source: apiKeys,
          keyOf: ({ keyId }) => keyId,
          show: showKey,
          columns: [
            { title: "ID", text: ({ keyId }) => keyId, fixed: true },
            { title: "NAME", text: ({ name }) => name },
            { title: "KEY", text: ({ hint }) => `${hint}…`, fixed: true },
            { title: "SCOPES", text: ({ scopes }) => scopes.join(" ") },
            { title: "STATE", text: (key) => stateOf(key, now), fixed: true },
            { title: "LAST USED", text: (key) => formatDay(key.lastUsedAt), fixed: true },
          ],
        }), { readOnly: true });
      return 0;
    },
  },
  {
    name: "keys rotate",
    positionals: ["ID"],
    summary: "Replace an API key and print the new text, once",
    options: [
      {
        name: "overlap",
        value: "DURATION",
        default: "0",
        description: "How long the old key is still accepted alongside the new one, like 24h.",
      },
      ...LASTING_STORAGE_OPTIONS,
    ],
    details: [
      "The new key has the name, scopes and lifetime of the old one. Standard output gets nothing " +
      "but its text.",
    ],
    example: "boardcast keys rotate 4fQ0x2mLr8TnVb1Z --overlap 24h",
    overHttp: ({ positionals: [keyId], text }) => ({
      method: "POST",
      path: `/keys/${encodeURIComponent(keyId)}/rotate`,
      fields: { overlap: text("overlap") },
    }),
    run: rotateKey,
  },
  {
    name: "keys revoke",
    positionals: ["ID"],
    summary: "Revoke an API key",
    options: LASTING_STORAGE_OPTIONS,
    details: ["Servers that use the storage refuse the key within 1 second."],
    example: "boardcast keys revoke 4fQ0x2mLr8TnVb1Z",
    overHttp: ({ positionals: [keyId] }) => ({
      method: "DELETE",
      path: `/keys/${encodeURIComponent(keyId)}`,
    }),
    async run(invocation) {
      const keyId = readKeyId(invocation);
      const at = new Date().toISOString();
      const isKnown = await withStorage(invocation, ({ apiKeys }) => apiKeys.revoke(keyId, at));
      if (!isKnown) throw new Error(`there is no API key "${keyId}"`);
      invocation.terminal.err(`Revoked the API key ${keyId}.\n`);
      return 0;
    },
  },
];

async function createKey(invocation: Invocation): Promise<number> {
  const { given } = invocation;
  const name = accept("--name", parseName(requiredText(given, "name")));
  const texts = given.texts("scope");
  const scopes = texts.length === 0
    ? DEFAULT_SCOPES
    : accept("--scope", parseScopes(texts.join(" ")));
  const lifeMs = optionalValue(given, "expires", parseLife);
  const now = new Date().toISOString();
  const expiresAt = lifeMs === undefined ? null : addMs(now, lifeMs);
  const issued = await issueKey({ name, scopes, expiresAt }, now);
  await withStorage(invocation, ({ apiKeys }) => apiKeys.create(issued.key));
  printKey(invocation, issued, "Created");
  return 0;
}

async function rotateKey(invocation: Invocation): Promise<number> {
  const { given } = invocation;
  const keyId = readKeyId(invocation);
  const overlapMs = optionalValue(given, "overlap", parseOverlap) ?? 0;
  const issued = await withStorage(invocation, async ({ apiKeys }) => {
    const old = await apiKeys.get(keyId);
    if (old === undefined) throw new Error(`there is no API key "${keyId}"`);
    const at = new Date().toISOString();
    const { key, text } = await issueSuccessor(old, at);
    const rotation = { keyId, at, until: addMs(at, overlapMs), successor: key };
    if (await apiKeys.rotate(rotation)) return { key, text, old: await apiKeys.get(keyId) };
    throw new Error(`the API key "${keyId}" was revoked or has expired; create a new one`);
  });
  // Its own end may come before that of the overlap.
  const end = issued.old?.revokedAt === null ? issued.old.expiresAt : null;
  const fate = end === null ? "is revoked" : `is accepted until ${end}`;
  printKey(invocation, issued, `The old key ${fate}. Created`);
  return 0;
}

/** Throws a {@linkcode UsageError} for the text of a key, which must not be shown, nor sent in a URL. */
function readKeyId({ given: { positionals: [keyId] } }: Invocation): string {
  // No identifier has an underscore.
  if (!keyId.startsWith("bc_")) return keyId;
  throw new UsageError(
    "ID is not the text of the key, nor its start: keys list shows both side by side",
  );
}

function printKey({ terminal }: Invocation, { key, text }: IssuedKey, done: string): void {
  const { keyId, scopes, expiresAt } = key;
  const end = expiresAt === null ? "" : `, which expires at ${expiresAt}`;
  terminal.err(
    `${done} the API key ${keyId} (${scopes.join(" ")})${end}; it is shown only once:\n`,
  );
  try {
    terminal.out(`${text}\n`);
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new Error(
      `the text of the API key is lost; revoke ${keyId} and create another: ${reason}`,
      { cause },
    );
  }
}

function parseLife(text: string): number | Refusal {
  const lifeMs = parseDuration(text);
  return lifeMs === 0 ? new Refusal("invalid_value", "must be longer than 0") : lifeMs;
}

function stateOf(key: ApiKey, now: string): string {
  if (key.revokedAt !== null) return "revoked";
  if (!isLiveKey(key, now)) return "expired";
  return key.expiresAt === null ? "live" : `until ${formatDay(key.expiresAt)}`;
}
