import { parseHttpUrl, URL_MAX_LENGTH } from "../values/http_url.ts";
import { NAME_MAX_CODE_POINTS, parseMarkdownText, parseName } from "../values/text.ts";
import { ID_PATTERN, parseId } from "../values/record_id.ts";
import { Refusal } from "../values/refusal.ts";
import { hidden, oneOf, text, textOrNull, time, timeOrNull, words } from "../declare.ts";
import type { Resource, ShownOf } from "../resource.ts";
import { EXAMPLE_TIME } from "../values/time.ts";

/** An entry of the changelog as it is stored. */
export interface Entry {
  /**
   * The identifier, case-sensitive, in the form of a board's. It is fixed once the entry was
   * public.
   */
  readonly entryId: string;
  /** The title, 1 to 200 code points. */
  readonly title: string;
  /** The text in Markdown, as it came: up to 32,768 bytes of UTF-8. */
  readonly body: string;
  /** Up to 5 words of `[a-z0-9-]{1,40}`. */
  readonly labels: readonly string[];
  /**
   * The address of further information: an absolute http or https URL, up to 2,000 characters; or
   * `null`.
   */
  readonly url: string | null;
  /** The identifiers of up to 20 posts that the entry ships. */
  readonly posts: readonly string[];
  /** The time from which the entry is public (RFC 3339, UTC, milliseconds); `null` for a draft. */
  readonly publishedAt: string | null;
  /**
   * When the entry first became public, which decides whether it may still be mailed; or `null`.
   */
  readonly firstPublishedAt: string | null;
  /**
   * The time from which a scheduled entry is public by each reader's clock; `null` for a draft, and
   * for an entry that is public regardless of clocks.
   */
  readonly announceAt: string | null;
  /**
   * A hash of the imported content, and the time of its publication there; `null` for no import.
   */
  readonly imported: string | null;
  /** When the entry was created (RFC 3339, UTC, milliseconds). */
  readonly createdAt: string;
  /** When the entry last changed (RFC 3339, UTC, milliseconds). */
  readonly updatedAt: string;
  /** The name of the key that created it; `null` if unknown. */
  readonly createdBy: string | null;
  /** The name of the key that changed it last; `null` if unknown. */
  readonly updatedBy: string | null;
  /** The name of the key that published it; `null` for a draft, and if unknown. */
  readonly publishedBy: string | null;
}

/** Whether an entry is public; `scheduled` if it will be. */
export type EntryState = typeof ENTRY_STATES[number];

/** Whether an entry is public, or will be. */
export const ENTRY_STATES = ["draft", "scheduled", "published"] as const;

const BODY_MAX_BYTES = 32_768;
const MAX_LABELS = 5;
/** The maximum number of posts that an entry ships. */
export const MAX_POSTS = 20;
export const LABEL_PATTERN = "^[a-z0-9-]{1,40}$";
/** Matches a label. */
export const LABEL: RegExp = new RegExp(LABEL_PATTERN);

/** All that is known of an entry. @internal */
export const ENTRY = {
  name: "entries",
  key: "entryId",
  title: "Entry",
  description: "An entry of the changelog.",
  fields: {
    entryId: text(
      "The identifier, case-sensitive. It is fixed once the entry was public. Generated if absent.",
      "dark-mode",
      { rules: { pattern: ID_PATTERN }, parse: parseEntryId },
    ),
    title: text("The title. Normalised to NFC and trimmed.", "Dark mode", {
      rules: { minLength: 1, maxLength: NAME_MAX_CODE_POINTS },
      parse: parseName,
    }),
    body: text(
      "What the entry says, in Markdown, as it came. " +
        `Up to ${BODY_MAX_BYTES} bytes of UTF-8. HTML in it is shown as text.`,
      "Press **D**.",
      {
        maxBytes: BODY_MAX_BYTES,
        parse: (text: string): string | Refusal => parseMarkdownText(text, BODY_MAX_BYTES),
      },
    ),
    labels: words(
      `What the entry is about: up to ${MAX_LABELS} words of \`a-z\`, \`0-9\` and \`-\`. ` +
        "A word has up to 40 characters; in a text, spaces separate them.",
      ["new"],
      {
        rules: { pattern: LABEL_PATTERN },
        parse: (text: string): readonly string[] | Refusal => parseLabels(text, MAX_LABELS),
        default: [],
        limits: { maxItems: MAX_LABELS },
      },
    ),
    url: textOrNull(
      "A page that tells more: an absolute http or https URL. In ASCII (RFC 3986).",
      "https://example.com/docs/dark-mode",
      { rules: { format: "uri", maxLength: URL_MAX_LENGTH }, parse: parseHttpUrl },
    ),
    posts: words(
      `The posts that the entry ships: up to ${MAX_POSTS} identifiers. In a text, spaces separate ` +
        "them. Each is `shipped` from the moment that the entry is public.",
      ["k3v9x2mp"],
      {
        rules: { pattern: ID_PATTERN },
        parse: parsePostIds,
        default: [],
        limits: { maxItems: MAX_POSTS },
      },
    ),
    state: oneOf(ENTRY_STATES, "Whether the entry is public now.", {
      example: "published",
      computed: true,
    }),
    publishedAt: timeOrNull(
      "From when on the entry is public; `null`: it is a draft.",
      EXAMPLE_TIME,
    ),
    firstPublishedAt: hidden("time?"),
    announceAt: hidden("time?"),
    imported: hidden("text?"),
    createdAt: time("When the entry was created."),
    updatedAt: time("When the entry last changed."),
    createdBy: textOrNull("The name of the key that created it; `null`: it isn't known.", "Ann"),
    updatedBy: textOrNull(
      "The name of the key that changed it last; `null`: it isn't known.",
      "Ann",
    ),
    publishedBy: textOrNull(
      "The name of the key that published it; `null`: it is a draft, or it isn't known.",
      "Ben",
    ),
  },
  indexes: {
    byAge: { by: "createdAt" },
    drafts: { where: { publishedAt: null }, by: "createdAt" },
    byPublication: { by: "publishedAt" },
    byAnnouncement: { by: "announceAt" },
  },
} as const satisfies Resource;

/** @internal An entry as the API shows it, with its state at the time of the response. */
export type ShownEntry = ShownOf<typeof ENTRY.fields>;

// Paths of the API contain these words in place of an identifier.
const RESERVED_IDS = ["preview", "export", "import", "markdown", "widget.js"];

/** Accepts the identifier of a new entry; refuses with `too_long` or `invalid_value`. */
function parseEntryId(text: string): string | Refusal {
  if (!RESERVED_IDS.includes(text)) return parseId(text);
  return new Refusal("invalid_value", "is a word that the API itself has in its paths");
}

/** Accepts the identifiers of posts separated by spaces, each taken once. */
function parsePostIds(text: string): readonly string[] | Refusal {
  const postIds = [...new Set(text.split(" ").filter((postId) => postId !== ""))];
  for (const postId of postIds) {
    const parsed = parseId(postId);
    if (parsed instanceof Refusal) return parsed;
  }
  return postIds.length <= MAX_POSTS
    ? postIds
    : new Refusal("invalid_value", `has more than ${MAX_POSTS} posts`);
}

/**
 * Accepts labels separated by spaces, each taken once, up to `max`; refuses with `invalid_value`.
 */
export function parseLabels(text: string, max: number): readonly string[] | Refusal {
  const labels = [...new Set(text.split(" ").filter((label) => label !== ""))];
  if (!labels.every((label) => LABEL.test(label))) {
    return new Refusal(
      "invalid_value",
      "has a label that is not of 1 to 40 lower-case letters a-z, digits and hyphens",
    );
  }
  return labels.length <= max
    ? labels
    : new Refusal("invalid_value", `has more than ${max} labels`);
}
