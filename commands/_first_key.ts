import { type ApiKeyStorage, StorageError } from "../mod.ts";
import { type ApiKey, isLiveKey } from "../model/api_key.ts";
import { issueKey } from "../model/issue_key.ts";
import { quote } from "./_http_call.ts";
import { ClosedOutput } from "./_io.ts";

// The same for all servers: of those that start on one storage at the same time, one alone can make it.
const FIRST_KEY_ID = "first";
const PAGE_SIZE = 1_000;
const REMEDY =
  "create one with boardcast keys create --name NAME --scope '*' (with file storage, stop the server first)";

/** What is told of the keys of a server that starts. */
export interface FirstKeyOutput {
  /** Shows the key. */
  readonly out: (text: string) => void;
  /** Takes a warning that no key is accepted, or maybe none is known. */
  readonly warn: (message: string) => void;
  /** The URL of the server. */
  readonly baseUrl: string;
}

/**
 * Creates a key with every scope where storage holds none, and shows it, once, with two calls of
 * the server. Warns where storage holds keys of which none is accepted, or the first one alone that was
 * never used: a start that broke off may have stored it and not shown it.
 */
export async function createFirstKey(
  apiKeys: ApiKeyStorage,
  { out, warn, baseUrl }: FirstKeyOutput,
): Promise<void> {
  const now = new Date().toISOString();
  const keys = await apiKeys.list({ limit: PAGE_SIZE });
  if (keys.length > 0) {
    if (!await isAnyLive(apiKeys, keys, now)) {
      warn(`no request is let in, as every API key has expired or was revoked; ${REMEDY}`);
    } else if (keys.length === 1 && keys[0].keyId === FIRST_KEY_ID && keys[0].lastUsedAt === null) {
      warn(`the first API key was never used; if nobody has its text, ${REMEDY}`);
    }
    return;
  }
  const request = { name: "First key", scopes: ["*"], expiresAt: null } as const;
  const { key, text } = await issueKey(request, now);
  try {
    await apiKeys.create({ ...key, keyId: FIRST_KEY_ID });
  } catch (error) {
    // Another server has made it in the same moment.
    if (error instanceof StorageError && error.code === "conflict") return;
    throw error;
  }
  try {
    out(describeFirstKey(text, baseUrl));
  } catch (cause) {
    await apiKeys.revoke(FIRST_KEY_ID, key.createdAt);
    const reason = cause instanceof ClosedOutput ? "nobody reads" : "writing failed on";
    throw new Error(
      `cannot show the first API key: ${reason} standard output; create one with boardcast keys create`,
      { cause },
    );
  }
}

async function isAnyLive(
  apiKeys: ApiKeyStorage,
  firstPage: readonly ApiKey[],
  now: string,
): Promise<boolean> {
  for (let page = firstPage; page.length > 0;) {
    if (page.some((key) => isLiveKey(key, now))) return true;
    page = await apiKeys.list({ after: page[page.length - 1].keyId, limit: PAGE_SIZE });
  }
  return false;
}

function describeFirstKey(text: string, baseUrl: string): string {
  const [boards, subscribe] = ["/boards", "/changelogs/subscribe"]
    .map((path) => quote(`${baseUrl}/api/v1${path}`));
  return `\
This is the first API key. It holds every scope and is shown only once:

  ${text}

Create a board, and subscribe somebody to the changelog:

  curl -X POST ${boards} -H 'Authorization: Bearer ${text}' \\
    -d boardId=feature-requests -d 'name=Feature requests'
  curl -X PUT ${subscribe} -H 'Authorization: Bearer ${text}' \\
    -d userEmail=ann@example.com -d subscribe=true

`;
}
