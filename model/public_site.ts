import type { Brand } from "./brand.ts";
import type { Entry } from "./entries/entry.ts";
import { parseHttpUrl } from "./values/http_url.ts";
import { type FlaggedOption, optionError } from "./options.ts";
import { Refusal } from "./values/refusal.ts";

/** What all public pages and mails have in common. */
export interface PublicSite extends Brand {
  /** The address of the service as the world sees it, without a slash at the end. */
  readonly publicUrl: string;
  /** Whether anybody can ask for the changelog by mail, on a page. */
  readonly hasSignUp?: boolean | undefined;
  /** Whether pages have forms with an address, which a worker proves by mail. */
  readonly hasForms?: boolean | undefined;
  /** Whether there are public boards, which the pages of the changelog link to. */
  readonly hasBoards?: boolean | undefined;
}

/** All that is known of the option `publicUrl`. */
export const PUBLIC_URL_OPTION: FlaggedOption<string> = {
  flag: "public-url https://…",
  schema: {
    description:
      "The address of this server, with its base path, as the world sees it: makes the " +
      "changelog public.",
  },
  check: checkPublicUrl,
};

/** Throws a `TypeError` unless this is an absolute http or https URL that paths can be put behind. */
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
