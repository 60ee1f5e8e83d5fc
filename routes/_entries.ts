import { parseBoolean } from "../model/boolean.ts";
import {
  ENTRY_BODY_MAX_BYTES,
  ENTRY_MAX_LABELS,
  ENTRY_STATES,
  parseEntryBody,
  parseEntryId,
  parseEntryState,
  parseLabels,
} from "../model/entry.ts";
import { parseHttpUrl, URL_MAX_LENGTH } from "../model/http_url.ts";
import { NAME_MAX_CODE_POINTS, parseName } from "../model/name.ts";
import { parseInstant } from "../model/time.ts";
import { ID_PATTERN } from "../model/record_id.ts";
import { type FieldSchema, optional, required } from "./_fields.ts";
import { Problem } from "./_problem.ts";

export const ENTRIES_PATH = "/api/v1/changelogs/entries";
export const ENTRY_PATH = `${ENTRIES_PATH}/:entryId` as const;

/** What the declarations of operations on entries have in common. */
export const OF_ENTRIES = { tag: "Changelog entries" } as const;
export const OF_ENTRY = {
  ...OF_ENTRIES,
  params: {
    entryId: {
      description: "The identifier of the entry, case-sensitive.",
      examples: ["dark-mode"],
    },
  },
  problems: ["entry_not_found"],
} as const;

export const NO_ENTRY: Problem = new Problem(
  "entry_not_found",
  "There is no entry with this entryId",
);

const TITLE: FieldSchema = {
  description: "The title. Normalised to NFC and trimmed.",
  minLength: 1,
  maxLength: NAME_MAX_CODE_POINTS,
  examples: ["Dark mode"],
};
const BODY: FieldSchema = {
  description: `What the entry says, in Markdown: up to ${ENTRY_BODY_MAX_BYTES} bytes of UTF-8. ` +
    "HTML in it is shown as text.",
  examples: ["Press **D**."],
};

const labels = optional(parseLabels, {
  description: `Up to ${ENTRY_MAX_LABELS} words of \`a-z\`, \`0-9\` and \`-\`, each of up to 40 ` +
    "characters.",
  examples: ["new"],
}, { type: "words" });
const url = optional(parseHttpUrl, {
  description: "Where more is told: an absolute http or https URL in ASCII (RFC 3986).",
  format: "uri",
  maxLength: URL_MAX_LENGTH,
  examples: ["https://example.com/docs/dark-mode"],
});
const notify = required(parseBoolean, {
  description: "Whether subscribers are mailed.",
  examples: [true],
}, "boolean");
// Not nullable: a variable that a script forgot to set must not mail everybody at once.
const at = optional(parseInstant, {
  description:
    "When the entry becomes public (RFC 3339); absent: now. In the past only with `notify=false`.",
  format: "date-time",
}, { nullable: false });

export const NEW_ENTRY = {
  entryId: optional(parseEntryId, {
    description: "The identifier, case-sensitive, which never changes; generated if absent.",
    pattern: ID_PATTERN,
    examples: ["dark-mode"],
  }),
  title: required(parseName, TITLE),
  body: required(parseEntryBody, BODY),
  labels,
  url,
} as const;

export const ENTRY_CHANGE = {
  title: optional(parseName, TITLE, { nullable: false }),
  body: optional(parseEntryBody, BODY, { nullable: false }),
  labels,
  url,
} as const;

export const PUBLICATION = { notify, at } as const;

export const ENTRY_STATE = optional(parseEntryState, {
  description: "Return only entries in this state.",
  enum: ENTRY_STATES,
}, { nullable: false });
