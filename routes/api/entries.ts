import { choice } from "../../model/declare.ts";
import type { ListQuery } from "../../adapters/storage.ts";
import { ENTRIES } from "../../model/kinds.ts";
import {
  ENTRY,
  type Entry,
  ENTRY_STATES,
  LABEL,
  LABEL_PATTERN,
  type ShownEntry,
} from "../../model/entries/entry.ts";
import { showEntry } from "../../model/entries/publication.ts";
import { generateId } from "../../model/values/record_id.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { changeOf, fillRecord } from "../../model/resource.ts";
import { NAME_MAX_CODE_POINTS, parseUserName } from "../../model/values/text.ts";
import {
  createEntry,
  deleteEntry,
  type EntryFault,
  updateEntry,
} from "../../services/entries/edit.ts";
import { listEntries } from "../../services/entries/entries.ts";
import { changeReply, expectationOf, faultProblem, replyUnlessKnown } from "../_http/conditions.ts";
import {
  authorOf,
  deliveryIdOfEntry,
  ENTRIES_PATH,
  ENTRY_FIELDS,
  ENTRY_PATH,
  ENTRY_RESPONSE,
  LISTED_ENTRY,
  NOT_PUBLISHING,
  readMore,
} from "./_entries.ts";
import { type Operation, operation, type Outcome } from "../_http/operation.ts";
import { ORDERED_PAGE_FIELDS, pageReply } from "../_http/page.ts";
import { badValue, Problem, validationFailed } from "../_http/problem.ts";
import { readablePart } from "../_http/credentials.ts";
import { jsonReply } from "../_http/reply.ts";

const IS_FIXED = validationFailed([
  badValue("entryId", "can't change: the entry is public, or was, or is scheduled"),
]);

export const operations = (): readonly Operation[] => [
  operation("POST", ENTRIES_PATH, {
    operationId: "createEntry",
    summary: "Create an entry",
    description: "Creates a draft, which nobody sees before it is published.",
    scope: "entries:write",
    body: ENTRY_FIELDS,
    required: ["title", "body"],
    successes: [{ status: 201, schema: ENTRY_RESPONSE, headers: ["Location", "ETag"] }],
    problems: ["entry_exists"],
    async run(context) {
      const { storage, body, now, caller, basePath } = context;
      const entryId = body.entryId ?? generateId();
      const times = { createdAt: now.text, updatedAt: now.text };
      const authors = { createdBy: caller.name, updatedBy: caller.name };
      const entry = fillRecord<Entry>(ENTRY, {
        ...body,
        entryId,
        ...times,
        ...authors,
      });
      const created = await createEntry(storage, entry);
      if (created === "taken") return isTaken(entryId);
      if (created instanceof Refusal) return refusePosts(created);
      const location = `${basePath}${ENTRIES_PATH}/${entryId}`;
      const also = await readMore(context, created);
      return changeReply(showEntry(created, now.text), { location, also });
    },
  }),

  operation("GET", ENTRIES_PATH, {
    operationId: "listEntries",
    summary: "List entries",
    description:
      "Lists entries, newest first: by publication for `scheduled` and `published`, else by " +
      "creation.",
    scope: "entries:read",
    query: {
      ...ORDERED_PAGE_FIELDS,
      state: choice(ENTRY_STATES, "Return only entries in this state."),
      label: {
        schema: {
          description: "Return only entries with this label.",
          type: "string",
          pattern: LABEL_PATTERN,
          examples: ["new"],
        },
        parse: parseLabel,
      },
      q: {
        schema: {
          description:
            "Return only entries that have all of these words, or parts of words, in the " +
            "title or the body, in any case.",
          type: "string",
          maxLength: NAME_MAX_CODE_POINTS,
          examples: ["dark mode"],
        },
        parse: parseUserName,
      },
    },
    successes: [{ status: 200, description: "A page of entries.", page: LISTED_ENTRY }],
    run({ isGone, storage, query, now }) {
      const { state, label, q } = query;
      const isByPublication = state === "scheduled" || state === "published";
      const filter = { state, label, q: q || undefined };
      const list = async (page: ListQuery) => {
        const found = await listEntries(storage, { ...page, ...filter, isGone }, now.text);
        const ids = await Promise.all(
          found.records.map((entry) => deliveryIdOfEntry(storage, entry)),
        );
        const records = found.records.map((entry, index) => ({ entry, deliveryId: ids[index] }));
        return { ...found, records };
      };
      return pageReply(query, list, {
        listing: `entries${state === undefined ? "" : `-${state}`}`,
        positionOf: ({ entry: { entryId, publishedAt, createdAt } }) => ({
          key: entryId,
          by: isByPublication && publishedAt !== null ? publishedAt : createdAt,
        }),
        show: ({ entry, deliveryId }) => ({ ...showEntry(entry, now.text), deliveryId }),
      });
    },
  }),

  operation("GET", ENTRY_PATH, {
    operationId: "getEntry",
    summary: "Read an entry",
    description:
      "The `ETag` is that of the entry itself, so a change of `asked` or `deliveryId` does not change it.",
    scope: "entries:read",
    successes: [{ status: 200, schema: ENTRY_RESPONSE, headers: ["ETag"] }],
    async run(context) {
      const { request, storage, param, now } = context;
      const entry = await storage.get(ENTRIES, param);
      if (entry === undefined) return "entry_not_found";
      const shown = showEntry(entry, now.text);
      const reply = replyUnlessKnown(request, shown);
      if (!("status" in reply) || reply.status !== 200) return reply;
      return jsonReply(200, { ...shown, ...await readMore(context, entry) }, reply.headers);
    },
  }),

  operation("PATCH", ENTRY_PATH, {
    operationId: "updateEntry",
    summary: "Change an entry",
    description:
      "Changes only the given fields. Nobody is mailed. An entry that is not a draft also " +
      "needs `entries:publish`. Without `entries:read`, the response has only the fields that " +
      "were sent.",
    scope: "entries:write",
    body: ENTRY_FIELDS,
    isConditional: true,
    successes: [{ status: 200, schema: ENTRY_RESPONSE, headers: ["ETag"] }],
    problems: ["entry_exists"],
    async run(context) {
      const { request, storage, param, body, caller, now } = context;
      const change = changeOf<Entry>(ENTRY, body);
      const isExpected = expectationOf<Entry>(request, (entry) => showEntry(entry, now.text));
      const update = { ...authorOf(caller, now), change, isExpected };
      const entry = await updateEntry(storage, param, update);
      if (entry instanceof Refusal) return refusePosts(entry);
      if (typeof entry !== "string") {
        const show = (shown: ShownEntry) =>
          readablePart(shown, caller, {
            scope: "entries:read",
            fields: ["entryId", ...Object.keys(change), "updatedAt", "updatedBy"],
          });
        const also = await readMore(context, entry);
        return changeReply(showEntry(entry, now.text), { show, also });
      }
      return refusalOf(entry, request, change.entryId ?? param);
    },
  }),

  operation("DELETE", ENTRY_PATH, {
    operationId: "deleteEntry",
    summary: "Delete an entry",
    description:
      "Deletes the entry permanently, and ends its delivery. An entry that is not a draft " +
      "also needs `entries:publish`.",
    scope: "entries:write",
    isConditional: true,
    successes: [{ status: 204, description: "The entry is gone." }],
    async run({ request, storage, param, caller, now }) {
      const isExpected = expectationOf<Entry>(request, (entry) => showEntry(entry, now.text));
      const condition = { ...authorOf(caller, now), isExpected };
      const deleted = await deleteEntry(storage, param, condition);
      return typeof deleted === "string" ? refusalOf(deleted, request, param) : { status: 204 };
    },
  }),
];

function refusalOf(fault: EntryFault, request: Request, entryId: string): Outcome {
  if (fault === "not_a_draft") return NOT_PUBLISHING;
  if (fault === "taken") return isTaken(entryId);
  return fault === "fixed" ? IS_FIXED : faultProblem(fault, request, "entry_not_found");
}

function refusePosts({ detail }: Refusal): Problem {
  return validationFailed([badValue("posts", detail)]);
}

function isTaken(entryId: string): Problem {
  return new Problem("entry_exists", `There already is an entry with the entryId ${entryId}`);
}

function parseLabel(text: string): string | Refusal {
  return LABEL.test(text)
    ? text
    : new Refusal("invalid_value", "is no label: 1 to 40 lower-case letters, digits and hyphens");
}
