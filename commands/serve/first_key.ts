import type { Storage } from "../../mod.ts";
import { isLiveKey } from "../../model/keys/api_key.ts";
import { createFirstKey, listKeys, revokeKey } from "../../services/keys/api_keys.ts";
import { createFirstLink } from "../../services/team/invitations.ts";
import { hasMembers } from "../../services/team/members.ts";
import { ClosedOutput } from "../shell/io.ts";

const MAX_KEYS = 1_000;

/** The destination of the first key. */
export interface FirstKeyOutput {
  readonly out: (text: string) => void;
  readonly warn: (message: string) => void;
  readonly baseUrl: string;
  /** The address of the studio; absent where there is none. */
  readonly studioUrl?: string | undefined;
}

/**
 * Creates a key with every scope if storage contains no key, and prints it once, with two example
 * calls. Where there is a studio without a member, also prints the link that makes the first admin.
 * Warns if none of the newest keys is valid.
 */
export async function showFirstKey(
  storage: Storage,
  { out, warn, baseUrl, studioUrl }: FirstKeyOutput,
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
    const link = studioUrl === undefined || await hasMembers(storage)
      ? undefined
      : `${studioUrl}/in/${await createFirstLink(storage, now)}`;
    out(describeFirstKey(issued.secret, baseUrl, link));
  } catch (cause) {
    await revokeKey(storage, issued.key.keyId, now);
    const reason = cause instanceof ClosedOutput ? "nobody reads" : "writing failed on";
    throw new Error(
      `cannot show the first API key: ${reason} standard output; create one with boardcast keys create`,
      { cause },
    );
  }
}

function describeFirstKey(secret: string, baseUrl: string, link: string | undefined): string {
  const admin = link === undefined ? "" : `\
Open this link to write in a browser, as the first admin. It works once, within 24 hours:

  ${link}

`;
  return `\
${admin}This is the first API key, for programs. It holds every scope and is shown only once:

  ${secret}

Create a board, and subscribe somebody to the changelog:

  curl -X POST ${baseUrl}/api/v1/boards -H 'Authorization: Bearer ${secret}' \\
    -d boardId=feature-requests -d 'name=Feature requests'
  curl -X PUT ${baseUrl}/api/v1/changelogs/subscribe -H 'Authorization: Bearer ${secret}' \\
    -d userEmail=ann@example.com -d subscribe=true

`;
}
