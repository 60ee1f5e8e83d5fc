import { DEFAULT_SCOPES, SCOPES, type ShownKey } from "../model/keys/api_key.ts";
import { formatNdjson } from "../model/values/text.ts";
import { CLIENT_OPTIONS, withApi } from "./api/client.ts";
import type { Call, SendRequest, TextFields } from "./api/request.ts";
import { readListing } from "./api/responses.ts";
import type { Command, Invocation } from "./shell/command.ts";
import { JSON_OPTION, option, UsageError } from "./shell/options.ts";
import { formatTable } from "./shell/table.ts";

/** A key with its secret. */
interface IssuedKey extends ShownKey {
  readonly key: string;
}

const PATH = "/api/v1/keys";
// Longer than printing a secret can take.
const LONGEST = "36500d";
const TITLES = ["ID", "NAME", "KEY", "SCOPES", "CREATED", "STATE", "LAST USED"];
const THROUGH_SERVER = "Through a server, the key in BOARDCAST_KEY needs keys:write.";

const createCommand: Command = {
  name: "keys create",
  summary: "Create an API key and print its secret, once",
  options: [
    option("name NAME", "What the key is for.", { required: true }),
    option(
      "scope SCOPE",
      `What the key may do: one of ${SCOPES.join(", ")}. Repeat it for more. ` +
        `[default: ${DEFAULT_SCOPES.join(" and ")}]`,
      { multiple: true },
    ),
    option("expires DURATION", "How long the key is valid, such as 90d. [default: for ever]"),
    ...CLIENT_OPTIONS,
  ],
  details:
    "Standard output gets the secret and nothing else. Only a hash of it is stored, so it can't be " +
    `shown again; where it can't be written, the key is revoked.\n\n${THROUGH_SERVER}`,
  example: "boardcast keys create --name 'Web app' --scope boards:read --expires 90d",
  async run(invocation) {
    const { args } = invocation;
    const body: Record<string, string> = { name: args.text("name") ?? "" };
    const expiresIn = args.text("expires");
    if (args.flag("scope")) body.scopes = args.texts("scope").join(" ");
    if (expiresIn !== undefined) body.expiresIn = expiresIn;
    const flags = { name: "--name", scopes: "--scope", expiresIn: "--expires" };
    return await withApi(
      invocation,
      { isReading: false, mustExist: false, flags },
      async (send) => {
        const issued = await issue(send, { method: "POST", path: PATH, body });
        const { keyId, scopes, expiresAt } = issued;
        const end = expiresAt === null ? "" : `, which expires at ${expiresAt}`;
        invocation.terminal.err(`Created the API key ${keyId} (${scopes.join(" ")})${end}:\n`);
        await printSecret(invocation, send, issued);
        return 0;
      },
    );
  },
};

const listCommand: Command = {
  name: "keys list",
  summary: "List API keys, the newest first",
  options: [JSON_OPTION, ...CLIENT_OPTIONS],
  details: `Revoked and expired keys stay in the list. Dates are in UTC.\n\n${THROUGH_SERVER}`,
  example: "boardcast keys list",
  async run(invocation) {
    const { args, terminal } = invocation;
    const keys: ShownKey[] = [];
    await withApi(invocation, { isReading: true, mustExist: true }, async (send) => {
      for await (const page of readListing<ShownKey>(send, { method: "GET", path: PATH })) {
        keys.push(...page);
      }
    });
    if (args.flag(JSON_OPTION.name)) terminal.out(formatNdjson(keys));
    else if (keys.length === 0) terminal.err("There are no API keys.\n");
    else terminal.out(formatTable([TITLES, ...keys.map(cellsOf)]));
    return 0;
  },
};

const rotateCommand: Command = {
  name: "keys rotate",
  summary: "Replace an API key and print the secret of the new one, once",
  positionals: ["ID"],
  options: [
    option("overlap DURATION", "How long the old key is accepted, such as 24h. [default: 0]"),
    ...CLIENT_OPTIONS,
  ],
  details:
    "The new key has the name, scopes and lifetime of the old one. Standard output gets its secret and " +
    "nothing else; where that can't be written, the new key is revoked, and the old one stays as it was. A " +
    `key can be rotated once: after that, rotate the new one.\n\n${THROUGH_SERVER}`,
  example: "boardcast keys rotate 4f92a8e1b07c3d65 --overlap 24h",
  async run(invocation) {
    const { args, terminal } = invocation;
    const [keyId] = args.positionals;
    const path = pathOf(invocation);
    const overlap = args.text("overlap") ?? "0";
    const endsAtOnce = /^0+[smhd]?$/.test(overlap);
    // The old key ends only once the new secret has been printed.
    const body = { overlap: endsAtOnce ? LONGEST : overlap };
    const access = { isReading: false, mustExist: true, flags: { overlap: "--overlap" } };
    return await withApi(invocation, access, async (send) => {
      const issued = await issue(send, { method: "POST", path: `${path}/rotate`, body });
      const fate = endsAtOnce ? "is revoked" : `is accepted for ${overlap} at most`;
      terminal.err(`Created the API key ${issued.keyId}; the old one ${fate}:\n`);
      await printSecret(invocation, send, issued, { restore: keyId });
      if (endsAtOnce) await send({ method: "DELETE", path });
      return 0;
    });
  },
};

const revokeCommand: Command = {
  name: "keys revoke",
  summary: "Revoke an API key",
  positionals: ["ID"],
  options: CLIENT_OPTIONS,
  details: `Servers that use the storage refuse the key within 1 second.\n\n${THROUGH_SERVER}`,
  example: "boardcast keys revoke 4f92a8e1b07c3d65",
  async run(invocation) {
    const { args: { positionals: [keyId] }, terminal } = invocation;
    const path = pathOf(invocation);
    await withApi(invocation, { isReading: false, mustExist: true }, async (send) => {
      await send({ method: "DELETE", path });
    });
    terminal.err(`Revoked the API key ${keyId}.\n`);
    return 0;
  },
};

/** The commands for API keys. */
export const keyCommands: readonly Command[] = [
  createCommand,
  listCommand,
  rotateCommand,
  revokeCommand,
];

async function issue(send: SendRequest, call: Call & { readonly body: TextFields }) {
  const issued: IssuedKey = await (await send(call)).json();
  return issued;
}

/**
 * Prints a secret. If that fails, revokes the key, which nobody can use, and restores the key that
 * it replaced.
 */
async function printSecret(
  { terminal }: Invocation,
  send: SendRequest,
  { keyId, key }: IssuedKey,
  query: { readonly restore?: string } = {},
): Promise<void> {
  try {
    terminal.out(`${key}\n`);
  } catch (cause) {
    await send({ method: "DELETE", path: `${PATH}/${keyId}`, query });
    const { message } = cause as Error;
    throw new Error(`the secret is lost and its key revoked: ${message}`, { cause });
  }
}

function pathOf({ args: { positionals: [keyId] } }: Invocation): string {
  if (keyId.startsWith("bc_")) {
    throw new UsageError("ID is not the secret of the key, nor its start: keys list shows both");
  }
  return `${PATH}/${encodeURIComponent(keyId)}`;
}

function cellsOf(key: ShownKey): readonly string[] {
  const { keyId, name, hint, scopes, createdAt, lastUsedAt } = key;
  const lastUsed = lastUsedAt === null ? "-" : dayOf(lastUsedAt);
  return [keyId, name, `${hint}…`, scopes.join(" "), dayOf(createdAt), stateOf(key), lastUsed];
}

function stateOf({ revokedAt, expiresAt }: ShownKey): string {
  if (revokedAt !== null) return "revoked";
  if (expiresAt === null) return "live";
  return Date.parse(expiresAt) <= Date.now() ? "expired" : `until ${dayOf(expiresAt)}`;
}

/** Returns the day of a time, both in UTC. */
function dayOf(time: string): string {
  return time.slice(0, "2026-11-21".length);
}
