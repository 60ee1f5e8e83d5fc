import type { Storage } from "../../mod.ts";
import { isLiveKey } from "../../model/keys/api_key.ts";
import { createFirstKey, listKeys, revokeKey } from "../../services/keys/api_keys.ts";
import { ClosedOutput } from "../shell/io.ts";

const MAX_KEYS = 1_000;

/** The destination of the first key. */
export interface FirstKeyOutput {
  readonly out: (text: string) => void;
  readonly warn: (message: string) => void;
  readonly baseUrl: string;
  /** Whether the key opens the studio. */
  readonly studio?: boolean | undefined;
}

/**
 * Creates a key with every scope if storage contains no key, and prints it once, with two example
 * calls. Warns if none of the newest keys is valid.
 */
export async function showFirstKey(
  storage: Storage,
  { out, warn, baseUrl, studio }: FirstKeyOutput,
): Promise<void> {
  const now = new Date().toISOString();
  const issued = await createFirstKey(storage, now);
  if (issued === undefined) {
    const keys = await listKeys(storage, { limit: MAX_KEYS, reverse: true });
    if (!keys.some((key) => isLiveKey(key, now))) {
      warn(
        "no request is let in, as every API key has expired or was revoked; create one with " +
          "boardcast keys create --name NAME --scope '*'",
      );
    }
    return;
  }
  try {
    out(describeFirstKey(issued.secret, baseUrl, studio));
  } catch (cause) {
    await revokeKey(storage, issued.key.keyId, now);
    const reason = cause instanceof ClosedOutput ? "nobody reads" : "writing failed on";
    throw new Error(
      `cannot show the first API key: ${reason} standard output; create one with boardcast keys create`,
      { cause },
    );
  }
}

function describeFirstKey(secret: string, baseUrl: string, studio = false): string {
  const page = studio ? `Paste it at ${baseUrl}/studio to write in a browser.\n\n` : "";
  return `\
This is the first API key. It holds every scope and is shown only once:

  ${secret}

${page}Create a board, and subscribe somebody to the changelog:

  curl -X POST ${baseUrl}/api/v1/boards -H 'Authorization: Bearer ${secret}' \\
    -d boardId=feature-requests -d 'name=Feature requests'
  curl -X PUT ${baseUrl}/api/v1/changelogs/subscribe -H 'Authorization: Bearer ${secret}' \\
    -d userEmail=ann@example.com -d subscribe=true

`;
}
