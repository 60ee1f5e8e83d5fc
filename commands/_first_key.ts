import { type ApiKeyStorage, StorageError } from "../mod.ts";
import { issueKey } from "../model/issue_key.ts";
import { quote } from "./_http_call.ts";
import { ClosedOutput, type Terminal } from "./_io.ts";

// The same for all, so that of servers that start at once on one storage one makes the key.
const FIRST_KEY_ID = "first";

/**
 * Creates a key with every scope where storage holds none, and shows it, once, with two calls of
 * the server at a URL.
 */
export async function createFirstKey(
  apiKeys: ApiKeyStorage,
  terminal: Terminal,
  baseUrl: string,
): Promise<void> {
  if ((await apiKeys.list({ limit: 1 })).length > 0) return;
  const request = { name: "First key", scopes: ["*"], expiresAt: null } as const;
  const { key, text } = await issueKey(request, new Date().toISOString());
  try {
    await apiKeys.create({ ...key, keyId: FIRST_KEY_ID });
  } catch (error) {
    // Another server has made it in the same moment.
    if (error instanceof StorageError && error.code === "conflict") return;
    throw error;
  }
  const [boards, subscribe] = ["/boards", "/changelogs/subscribe"]
    .map((path) => quote(`${baseUrl}/api/v1${path}`));
  try {
    terminal.out(`\
This is the first API key. It holds every scope and is shown only once:

  ${text}

Create a board, and subscribe somebody to the changelog:

  curl -X POST ${boards} -H 'Authorization: Bearer ${text}' \\
    -d boardId=feature-requests -d 'name=Feature requests'
  curl -X PUT ${subscribe} -H 'Authorization: Bearer ${text}' \\
    -d userEmail=ann@example.com -d subscribe=true

`);
  } catch (cause) {
    await apiKeys.revoke(FIRST_KEY_ID, key.createdAt);
    const reason = cause instanceof ClosedOutput ? "nobody reads" : "writing failed on";
    throw new Error(
      `cannot show the first API key: ${reason} standard output; create one with boardcast keys create`,
      { cause },
    );
  }
}
