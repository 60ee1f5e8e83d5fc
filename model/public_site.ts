import type { Brand } from "./brand.ts";
import type { Entry } from "./entries/entry.ts";
import { parseHttpUrl } from "./values/http_url.ts";
import { type FlaggedOption, optionError } from "./options.ts";
import { Refusal } from "./values/refusal.ts";

/** The properties that all public pages and mails share. */
export interface PublicSite extends Brand {
  /** The public address of the service, without a slash at the end. */
  readonly publicUrl: string;
  /** Whether anybody can subscribe to the changelog on a page. */
  readonly hasSignUp?: boolean | undefined;
  /** Whether pages have forms with an address, which a worker verifies by mail. */
  readonly hasForms?: boolean | undefined;
  /**
   * The time for which the addresses of voters are kept after their post was shipped or declined,
   * in milliseconds; `false` means for ever.
   */
  readonly voteRetentionMs?: number | false | undefined;
  /** When the settings last changed (RFC 3339, UTC, milliseconds). */
  readonly changedAt?: string | undefined;
  /** The time from which this process shows this site in place of another; absent for the first. */
  readonly sinceMs?: number | undefined;
  /** Whether there are public boards; pages of the changelog link to them. */
  readonly hasBoards?: boolean | undefined;
}

/**
 * Returns the path of the service in browsers, without a slash at the end. It differs from
 * `basePath` behind a proxy that strips a path.
 */
export function publicPathOf(
  { basePath = "", publicUrl }: {
    readonly basePath?: string | undefined;
    readonly publicUrl?: string | undefined;
  },
): string {
  return publicUrl === undefined ? basePath : new URL(publicUrl).pathname.replace(/\/$/, "");
}

/** The declaration of the option `publicUrl`. */
export const PUBLIC_URL_OPTION: FlaggedOption<string> = {
  flag: "public-url https://…",
  schema: {
    description:
      "The address of this server, with its base path, as the world sees it: makes the " +
      "changelog public.",
  },
  check: checkPublicUrl,
};

/**
 * Throws a `TypeError` unless a value is an absolute http or https URL to which paths can be
 * appended.
 */
export function checkPublicUrl(publicUrl: unknown): void {
  const isUrl = typeof publicUrl === "string" && !(parseHttpUrl(publicUrl) instanceof Refusal);
  if (!isUrl || /[?#]|\/$|@/.test(publicUrl)) {
    throw optionError(
      "publicUrl",
      `"${publicUrl}" is not like https://example.com/feedback, without a slash at the end, a ` +
        "query or a user",
    );
  }
}

/** Returns the address of the page of an entry. */
export function entryAddress(
  { publicUrl }: { readonly publicUrl: string },
  { entryId }: Pick<Entry, "entryId">,
): string {
  return `${publicUrl}/changelog/${encodeURIComponent(entryId)}`;
}

/** Returns the address of the page of an idea. */
export function ideaAddress(
  { publicUrl }: { readonly publicUrl: string },
  { boardId, postId }: { readonly boardId: string; readonly postId: string },
): string {
  return `${publicUrl}/boards/${encodeURIComponent(boardId)}/${encodeURIComponent(postId)}`;
}
