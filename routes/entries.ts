import {
  type Entry,
  ENTRY_BODY_MAX_BYTES,
  ENTRY_MAX_LABELS,
  ENTRY_STATES,
  parseEntryBody,
  parseEntryState,
  parseLabels,
  showEntry,
} from "../model/entry.ts";
import { parseBoolean } from "../model/boolean.ts";
import { parseHttpUrl, URL_MAX_LENGTH } from "../model/http_url.ts";
import { NAME_MAX_CODE_POINTS, parseName } from "../model/name.ts";
import { generateId, ID_PATTERN, parseId } from "../model/record_id.ts";
import { parseInstant } from "../model/time.ts";
import type { ChangeFault } from "../services/conditional.ts";
import {
  createEntry,
  deleteEntry,
  type EntryOutcome,
  getEntry,
  listEntries,
  publish,
  unpublish,
  updateEntry,
} from "../services/entries.ts";
import { expectationOf, preconditionFailed, replyUnlessKnown, represent } from "./_conditions.ts";
import { type FieldSchema, optional, required } from "./_fields.ts";
import { type Operation, operation } from "./_operation.ts";
import { ORDERED_PAGE_FIELDS, pageReply } from "./_page.ts";
import { Problem } from "./_problem.ts";
import { jsonReply, type Reply } from "./_reply.ts";

/** The most bytes in a request that holds an entry: as many as its body has, percent-encoded, and more. */
export const MAX_ENTRY_BYTES = 128 * 1024;

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
const LABELS_AND_URL = {
  labels: optional(parseLabels, {
    description:
      `Up to ${ENTRY_MAX_LABELS} words of \`a-z\`, \`0-9\` and \`-\`, each of up to 40 ` +
      "characters.",
    examples: ["new"],
  }, { type: "words" }),
  url: optional(parseHttpUrl, {
    description: "Where more is told: an absolute http or https URL in ASCII (RFC 3986).",
    format: "uri",
    maxLength: URL_MAX_LENGTH,
    examples: ["https://example.com/docs/dark-mode"],
  }),
};
const ENTRY_ID: FieldSchema = {
  description: "The identifier of the entry, case-sensitive.",
  examples: ["dark-mode"],
};
const ENTRY_PATH = "/api/v1/changelogs/entries/:entryId";
const COMMON = { tag: "Changelog entries", params: { entryId: ENTRY_ID } } as const;

const NOT_FOUND = new Problem("entry_not_found", "There is no entry with this entryId");

/** The operations on changelog entries. */
export const entryOperations: readonly Operation[] = [
  operation({
    method: "POST",
    path: "/api/v1/changelogs/entries",
    operationId: "createEntry",
    summary: "Create an entry",
    description: "Creates a draft, which nobody sees before it is published.",
    tag: "Changelog entries",
    scope: "entries:write",
    maxBodyBytes: MAX_ENTRY_BYTES,
    body: {
      entryId: optional(parseId, {
        description: "The identifier, case-sensitive, which never changes; generated if absent.",
        pattern: ID_PATTERN,
        examples: ["dark-mode"],
      }),
      title: required(parseName, TITLE),
      body: required(parseEntryBody, BODY),
      ...LABELS_AND_URL,
    },
    successes: [{
      status: 201,
      description: "The draft.",
      schema: "Entry",
      headers: ["Location", "ETag"],
    }],
    problems: ["entry_exists"],
    async run({ storage, body, now, basePath }) {
      const entry: Entry = {
        entryId: body.entryId ?? generateId(),
        title: body.title,
        body: body.body,
        labels: body.labels ?? [],
        url: body.url ?? null,
        publishedAt: null,
        firstPublishedAt: null,
        announceAt: null,
        createdAt: now.text,
        updatedAt: now.text,
      };
      if (!await createEntry(storage, entry)) {
        return new Problem(
          "entry_exists",
          `There already is an entry with the entryId ${entry.entryId}`,
        );
      }
      const location = `${basePath}/api/v1/changelogs/entries/${encodeURIComponent(entry.entryId)}`;
      return entryReply(entry, now.text, { status: 201, headers: { Location: location } });
    },
  }),

  operation({
    method: "GET",
    path: "/api/v1/changelogs/entries",
    operationId: "listEntries",
    summary: "List entries",
    description: "Newest first: by publication for `scheduled` and `published`, else by creation.",
    tag: "Changelog entries",
    scope: "entries:read",
    query: {
      ...ORDERED_PAGE_FIELDS,
      state: optional(parseEntryState, {
        description: "Return only entries in this state.",
        enum: ENTRY_STATES,
      }, { nullable: false }),
    },
    successes: [{ status: 200, description: "A page of entries.", schema: "EntryPage" }],
    run({ storage, query, now }) {
      const state = query.state ?? undefined;
      const isByPublication = state === "scheduled" || state === "published";
      return pageReply(query, (page) => listEntries(storage, { ...page, state }, now.text), {
        positionOf: ({ entryId, publishedAt, createdAt }) => ({
          key: entryId,
          by: isByPublication && publishedAt !== null ? publishedAt : createdAt,
        }),
        show: (entry) => showEntry(entry, now.text),
      });
    },
  }),

  operation({
    ...COMMON,
    method: "GET",
    path: ENTRY_PATH,
    operationId: "getEntry",
    summary: "Read an entry",
    description: "Returns one entry. With `If-None-Match`, returns it only if it has changed.",
    scope: "entries:read",
    requestHeaders: ["If-None-Match"],
    successes: [
      { status: 200, description: "The entry.", schema: "Entry", headers: ["ETag"] },
      { status: 304, description: "The entry still matches `If-None-Match`.", headers: ["ETag"] },
    ],
    problems: ["entry_not_found"],
    async run({ request, storage, param, now }) {
      const entry = await getEntry(storage, param);
      if (entry === undefined) return NOT_FOUND;
      return replyUnlessKnown(request, represent(showEntry(entry, now.text)));
    },
  }),

  operation({
    ...COMMON,
    method: "PATCH",
    path: ENTRY_PATH,
    operationId: "updateEntry",
    summary: "Change an entry",
    description: "Changes only the fields given. `null` in JSON, or an empty value in a form, " +
      "clears `labels` or `url`. Nobody is mailed.",
    scope: "entries:write",
    maxBodyBytes: MAX_ENTRY_BYTES,
    body: {
      title: optional(parseName, TITLE, { nullable: false }),
      body: optional(parseEntryBody, BODY, { nullable: false }),
      ...LABELS_AND_URL,
    },
    requestHeaders: ["If-Match"],
    successes: [
      { status: 200, description: "The entry as it is now.", schema: "Entry", headers: ["ETag"] },
    ],
    problems: ["entry_not_found", "precondition_failed"],
    async run({ request, storage, param, body, now }) {
      const change = {
        title: body.title ?? undefined,
        body: body.body ?? undefined,
        labels: body.labels === null ? [] : body.labels,
        url: body.url,
        at: now.text,
      };
      const isExpected = expectationOf(request, etagAt(now.text));
      const entry = await updateEntry(storage, param, { change, isExpected });
      return typeof entry === "string" ? refuse(entry, request) : entryReply(entry, now.text);
    },
  }),

  operation({
    ...COMMON,
    method: "DELETE",
    path: ENTRY_PATH,
    operationId: "deleteEntry",
    summary: "Delete an entry",
    description: "Deletes the entry permanently, and ends its delivery.",
    scope: "entries:write",
    requestHeaders: ["If-Match"],
    successes: [{ status: 204, description: "The entry is gone." }],
    problems: ["entry_not_found", "precondition_failed"],
    async run({ request, storage, param, now }) {
      const isExpected = expectationOf(request, etagAt(now.text));
      const deleted = await deleteEntry(storage, param, { at: now.text, isExpected });
      return typeof deleted === "string" ? refuse(deleted, request) : { status: 204 };
    },
  }),

  operation({
    ...COMMON,
    method: "POST",
    path: `${ENTRY_PATH}/publish`,
    operationId: "publishEntry",
    summary: "Publish an entry",
    description: "Makes the entry public, now or at a time. With `notify`, every subscriber is " +
      "mailed, once, if the entry was never public before. Publishing again changes nothing and " +
      "mails nobody; an entry that is still scheduled takes the new time.",
    scope: "entries:write",
    body: {
      notify: required(parseBoolean, {
        description: "Whether subscribers are mailed.",
        examples: [true],
      }, "boolean"),
      at: optional(parseInstant, {
        description: "When the entry becomes public (RFC 3339), in the future; absent: now.",
        format: "date-time",
        // A variable that a script forgot to set must not mail everybody at once.
      }, { nullable: false }),
    },
    check: ({ at }, now) =>
      at && at <= now.text
        ? [{ field: "at", code: "invalid_value", detail: "at is not in the future" }]
        : [],
    successes: [{
      status: 200,
      description: "The entry as it is now.",
      schema: "EntryResult",
      headers: ["ETag"],
    }],
    problems: ["entry_not_found"],
    async run({ storage, param, body, now: { text: now }, worker }) {
      const publication = { from: body.at ?? now, notify: body.notify, at: now };
      const outcome = await publish(storage, param, publication);
      worker?.wake();
      return outcomeReply(outcome, now);
    },
  }),

  operation({
    ...COMMON,
    method: "POST",
    path: `${ENTRY_PATH}/unpublish`,
    operationId: "unpublishEntry",
    summary: "Unpublish an entry",
    description: "Makes the entry a draft again, and ends its delivery.",
    scope: "entries:write",
    body: {},
    bodyOptional: true,
    successes: [{
      status: 200,
      description: "The entry as it is now.",
      schema: "EntryResult",
      headers: ["ETag"],
    }],
    problems: ["entry_not_found"],
    async run({ storage, param, now: { text: now } }) {
      return outcomeReply(await unpublish(storage, param, now), now);
    },
  }),
];

function etagAt(now: string): (entry: Entry) => string {
  return (entry) => represent(showEntry(entry, now)).etag;
}

function entryReply(
  entry: Entry,
  now: string,
  { status = 200, headers = {} }: Partial<Reply> = {},
): Reply {
  return jsonReply(status, showEntry(entry, now), { ...headers, ETag: etagAt(now)(entry) });
}

function outcomeReply(outcome: EntryOutcome | undefined, now: string): Reply | Problem {
  if (outcome === undefined) return NOT_FOUND;
  const { entry, changed } = outcome;
  return jsonReply(200, { ...showEntry(entry, now), changed }, { ETag: etagAt(now)(entry) });
}

function refuse(fault: ChangeFault, request: Request): Problem {
  return fault === "not_found" ? NOT_FOUND : preconditionFailed(request);
}
