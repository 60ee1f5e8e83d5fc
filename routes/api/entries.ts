import { ENTRY, type Entry, ENTRY_STATES, type ShownEntry } from "../../model/entries/entry.ts";
import { showEntry } from "../../model/entries/publication.ts";
import { generateId } from "../../model/values/record_id.ts";
import { changeOf, fillRecord } from "../../model/resource.ts";
import {
  createEntry,
  deleteEntry,
  getEntry,
  listEntries,
  updateEntry,
} from "../../services/entries/entries.ts";
import { changeReply, expectationOf, faultProblem, replyUnlessKnown } from "../_http/conditions.ts";
import { ENTRIES_PATH, ENTRY_PATH, NEW_ENTRY } from "./_entries.ts";
import { NO_ENTRY, OF_ENTRIES, OF_ENTRY } from "./_entries.ts";
import { choice } from "../_http/fields.ts";
import { type Operation, operation } from "../_http/operation.ts";
import { ORDERED_PAGE_FIELDS, pageReply } from "../_http/page.ts";
import { Problem } from "../_http/problem.ts";
import { changeFields } from "../_http/resource.ts";

/** The operations on entries. */
export const entryOperations: readonly Operation[] = [
  operation("POST", ENTRIES_PATH, {
    ...OF_ENTRIES,
    operationId: "createEntry",
    summary: "Create an entry",
    description: "Creates a draft, which nobody sees before it is published.",
    scope: "entries:write",
    body: NEW_ENTRY,
    successes: [
      { status: 201, description: "The draft.", schema: "Entry", headers: ["Location", "ETag"] },
    ],
    problems: ["entry_exists"],
    async run({ storage, body, now, basePath }) {
      const entryId = body.entryId ?? generateId();
      const times = { createdAt: now.text, updatedAt: now.text };
      const entry = fillRecord<Entry, ShownEntry>(ENTRY, { ...body, entryId, ...times });
      if (!await createEntry(storage, entry)) {
        return new Problem("entry_exists", `There already is an entry with the entryId ${entryId}`);
      }
      const location = `${basePath}${ENTRIES_PATH}/${entryId}`;
      return changeReply(showEntry(entry, now.text), { location });
    },
  }),

  operation("GET", ENTRIES_PATH, {
    ...OF_ENTRIES,
    operationId: "listEntries",
    summary: "List entries",
    description: "Newest first: by publication for `scheduled` and `published`, else by creation.",
    scope: "entries:read",
    query: {
      ...ORDERED_PAGE_FIELDS,
      state: choice(ENTRY_STATES, "Return only entries in this state."),
    },
    successes: [{ status: 200, description: "A page of entries.", schema: "EntryPage" }],
    run({ storage, query, now }) {
      const { state } = query;
      const isByPublication = state === "scheduled" || state === "published";
      return pageReply(query, (page) => listEntries(storage, { ...page, state }, now.text), {
        listing: `entries${state === undefined ? "" : `-${state}`}`,
        positionOf: ({ entryId, publishedAt, createdAt }) => ({
          key: entryId,
          by: isByPublication && publishedAt !== null ? publishedAt : createdAt,
        }),
        show: (entry) => showEntry(entry, now.text),
      });
    },
  }),

  operation("GET", ENTRY_PATH, {
    ...OF_ENTRY,
    operationId: "getEntry",
    summary: "Read an entry",
    description: "Returns one entry. With `If-None-Match`, returns it only if it has changed.",
    scope: "entries:read",
    requestHeaders: ["If-None-Match"],
    successes: [
      { status: 200, description: "The entry.", schema: "Entry", headers: ["ETag"] },
      { status: 304, description: "The entry still matches `If-None-Match`.", headers: ["ETag"] },
    ],
    async run({ request, storage, param, now }) {
      const entry = await getEntry(storage, param);
      return entry === undefined ? NO_ENTRY : replyUnlessKnown(request, showEntry(entry, now.text));
    },
  }),

  operation("PATCH", ENTRY_PATH, {
    ...OF_ENTRY,
    operationId: "updateEntry",
    summary: "Change an entry",
    description: "Changes only the fields given. `null` in JSON, or an empty value in a form, " +
      "clears `labels` or `url`. Nobody is mailed.",
    scope: "entries:write",
    body: changeFields(ENTRY),
    requestHeaders: ["If-Match"],
    successes: [
      { status: 200, description: "The entry as it is now.", schema: "Entry", headers: ["ETag"] },
    ],
    async run({ request, storage, param, body, now: { text: now } }) {
      const change = changeOf<Entry, ShownEntry>(ENTRY, body);
      const isExpected = expectationOf<Entry>(request, (entry) => showEntry(entry, now));
      const entry = await updateEntry(storage, param, { change, at: now, isExpected });
      return typeof entry === "string"
        ? faultProblem(entry, request, NO_ENTRY)
        : changeReply(showEntry(entry, now));
    },
  }),

  operation("DELETE", ENTRY_PATH, {
    ...OF_ENTRY,
    operationId: "deleteEntry",
    summary: "Delete an entry",
    description: "Deletes the entry permanently, and ends its delivery.",
    scope: "entries:write",
    requestHeaders: ["If-Match"],
    successes: [{ status: 204, description: "The entry is gone." }],
    async run({ request, storage, param, now: { text: now } }) {
      const isExpected = expectationOf<Entry>(request, (entry) => showEntry(entry, now));
      const deleted = await deleteEntry(storage, param, { at: now, isExpected });
      return typeof deleted === "string"
        ? faultProblem(deleted, request, NO_ENTRY)
        : { status: 204 };
    },
  }),
];
