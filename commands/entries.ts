import { DELIVERY, DELIVERY_STATES } from "../model/deliveries/delivery.ts";
import { DELIVERY_FAILURE } from "../model/deliveries/delivery_failure.ts";
import { ENTRY, ENTRY_STATES } from "../model/entries/entry.ts";
import { apiCommand, type ApiOption } from "./api/api_command.ts";
import type { Command } from "./shell/command.ts";
import { changeOptions, creationOptions, fieldColumns } from "./api/fields.ts";
import { entryExportCommand, entryImportCommand } from "./entry_import.ts";
import type { JsonObject } from "./api/request.ts";
import { option } from "./shell/options.ts";

const BODY_FILE: ApiOption = option(
  "body-file FILE",
  "The file that says it; - is standard input.",
  {
    field: "body",
    isFile: true,
  },
);

/** The commands for entries and their deliveries. */
export const entryCommands: readonly Command[] = [
  apiCommand({
    synopsis: "entries create ID",
    summary: "Write an entry of the changelog, as a draft",
    request: "POST /changelogs/entries",
    fields: { entryId: ":ID" },
    options: creationOptions(ENTRY, { others: [BODY_FILE] }),
    done: ({ entryId }) => `Created the draft ${entryId}.`,
    details:
      "ID stands in the address of the page: 1 to 128 letters, digits and . _ ~ -, first a letter or " +
      "digit. It never changes.",
    example: "boardcast entries create dark-mode --title 'Dark mode' --body-file new.md",
  }),
  apiCommand({
    synopsis: "entries get ID",
    summary: "Show an entry",
    request: "GET /changelogs/entries/:ID",
    example: "boardcast entries get dark-mode --json",
  }),
  apiCommand({
    synopsis: "entries list",
    summary: "List the entries, newest first",
    request: "GET /changelogs/entries",
    options: [
      option(`state ${ENTRY_STATES.join(" | ")}`, "List only those in this state."),
      option("label LABEL", "List only those with this label."),
      option("q WORDS", "List only those that have all of these words in the title or body."),
    ],
    listing: {
      noun: "entries",
      columns: fieldColumns(ENTRY),
    },
    details: "Dates are in UTC.",
    example: "boardcast entries list --state draft",
  }),
  apiCommand({
    synopsis: "entries update ID",
    summary: "Change the given fields of an entry; nobody is mailed",
    request: "PATCH /changelogs/entries/:ID",
    options: [
      option("id ID", "Its new identifier, if it never was public.", { field: "entryId" }),
      ...changeOptions(ENTRY, { others: [BODY_FILE] }),
    ],
    done: ({ entryId }) => `Updated the entry ${entryId}.`,
    details: "Empty WORDS or an empty URL clears the field.",
    example: "boardcast entries update dark-mode --labels 'new design'",
  }),
  apiCommand({
    synopsis: "entries publish ID",
    summary: "Publish an entry, now or at a time",
    request: "POST /changelogs/entries/:ID/publish",
    options: [
      option("notify", "Mail every subscriber, if it was never public before."),
      option("no-notify", "Mail nobody.", { field: "notify", sends: false }),
      option(
        "at TIME",
        "When it becomes, or with --no-notify became, public, like 2030-01-31T12:00:00Z. [default: now]",
      ),
    ],
    done: describePublication,
    details: "Say --notify or --no-notify: mails can't be taken back.",
    example: "boardcast entries publish dark-mode --notify --at 2030-01-31T12:00:00Z",
  }),
  apiCommand({
    synopsis: "entries deliveries",
    summary: "List the deliveries, newest first",
    request: "GET /changelogs/deliveries",
    options: [
      option("state STATE", `Only those in this state: ${DELIVERY_STATES.join(", ")}.`, {
        choices: DELIVERY_STATES,
      }),
    ],
    listing: {
      noun: "deliveries",
      columns: fieldColumns(DELIVERY),
    },
    example: "boardcast entries deliveries --state held",
  }),
  apiCommand({
    synopsis: "entries failures ID",
    summary: "List whom the mailing of an entry did not reach, and why",
    request: "GET /changelogs/entries/:ID/delivery/failures",
    listing: {
      noun: "failures",
      columns: fieldColumns(DELIVERY_FAILURE),
    },
    example: "boardcast entries failures dark-mode",
  }),
  apiCommand({
    synopsis: "entries preview ID",
    summary: "Print a secret link of an entry that need not be published, valid for 7 days",
    request: "POST /changelogs/entries/:ID/preview-link",
    secret: "url",
    noPath: "links need a public URL: call a server that has one, with --server URL",
    details: "Needs a running server with a public URL.",
    example: "boardcast entries preview dark-mode --server https://updates.example.com",
  }),
  apiCommand({
    synopsis: "entries unpublish ID",
    summary: "Make an entry a draft again, and end its delivery",
    request: "POST /changelogs/entries/:ID/unpublish",
    done: ({ entryId, changed }) =>
      changed ? `The entry ${entryId} is a draft again.` : `The entry ${entryId} is a draft.`,
    example: "boardcast entries unpublish dark-mode",
  }),
  apiCommand({
    synopsis: "entries delete ID",
    summary: "Delete an entry, and end its delivery",
    request: "DELETE /changelogs/entries/:ID",
    done: (_, { positionals: [entryId] }) => `Deleted the entry ${entryId}.`,
    example: "boardcast entries delete dark-mode",
  }),
  entryExportCommand,
  entryImportCommand,
  apiCommand({
    synopsis: "entries test ID EMAIL",
    summary: "Mail an entry to one address alone, marked as a test",
    request: "POST /changelogs/entries/:ID/test",
    fields: { userEmail: ":EMAIL" },
    done: (_, { positionals: [entryId, userEmail] }) => `Mailed ${entryId} to ${userEmail}.`,
    details: "The server that is called needs a mailer: see --server.",
    example: "boardcast entries test dark-mode ann@example.com --server https://example.com",
  }),
  apiCommand({
    synopsis: "entries delivery ID",
    summary: "Show how far the mailing of an entry is, or pause, resume or cancel it",
    request: "GET /changelogs/entries/:ID/delivery",
    options: ["pause", "resume", "cancel"].map((name) => ({
      name,
      request: `POST /changelogs/entries/:ID/delivery/${name}`,
      description: `${name[0].toUpperCase()}${name.slice(1)} it.`,
    })),
    example: "boardcast entries delivery dark-mode --pause",
  }),
];

function describePublication({ entryId, changed, state, publishedAt }: JsonObject): string {
  const what = state === "scheduled" ? `becomes public at ${publishedAt}` : "is public";
  return `The entry ${entryId} ${what}${changed ? "." : ", as before: nothing was changed."}`;
}
