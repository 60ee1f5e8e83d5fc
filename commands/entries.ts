import { ENTRY_STATES } from "../model/entry.ts";
import { apiCommand, type ApiOption } from "./_api_command.ts";
import type { Command } from "./_command.ts";
import { formatDay } from "./_listing.ts";
import type { Answer } from "./_request.ts";

const TITLE: ApiOption = { name: "title", value: "TEXT", description: "The title." };
const CONTENT: readonly ApiOption[] = [
  { name: "body", value: "TEXT", description: "What the entry says, in Markdown." },
  {
    name: "body-file",
    value: "FILE",
    field: "body",
    isFile: true,
    description: "The file that says it; - is standard input.",
  },
  {
    name: "labels",
    value: "WORDS",
    description: "Up to 5 words of a-z, 0-9 and -, separated by spaces.",
  },
  {
    name: "url",
    value: "URL",
    description: "Where more is told: an absolute http or https URL.",
  },
];
const PATH = "/changelogs/entries/:ID";

/** The commands that manage changelog entries and their deliveries. */
export const entryCommands: readonly Command[] = [
  apiCommand({
    name: "entries create",
    summary: "Write an entry of the changelog, as a draft",
    method: "POST",
    path: "/changelogs/entries",
    positionals: ["ID"],
    fields: { entryId: ":ID" },
    options: [{ ...TITLE, required: true }, ...CONTENT],
    done: ({ entryId }) => `Created the draft ${entryId}.`,
    details: [
      "ID stands in the address of the page: 1 to 128 letters, digits and . _ ~ -, first a letter or " +
      "digit. It never changes.",
    ],
    example: "boardcast entries create dark-mode --title 'Dark mode' --body-file new.md",
  }),
  apiCommand({
    name: "entries get",
    summary: "Show an entry",
    method: "GET",
    path: PATH,
    positionals: ["ID"],
    example: "boardcast entries get dark-mode --json",
  }),
  apiCommand({
    name: "entries list",
    summary: "List the entries, newest first",
    method: "GET",
    path: "/changelogs/entries",
    options: [{
      name: "state",
      value: ENTRY_STATES.join(" | "),
      description: "List only those in this state.",
    }],
    listing: {
      noun: "entries",
      columns: [
        { title: "ID", text: ({ entryId }) => `${entryId}` },
        { title: "TITLE", text: ({ title }) => `${title}` },
        { title: "STATE", text: ({ state }) => `${state}`, fixed: true },
        { title: "PUBLISHED", text: ({ publishedAt }) => formatDay(publishedAt), fixed: true },
      ],
    },
    details: ["Dates are in UTC."],
    example: "boardcast entries list --state draft",
  }),
  apiCommand({
    name: "entries update",
    summary: "Change the given fields of an entry; nobody is mailed",
    method: "PATCH",
    path: PATH,
    positionals: ["ID"],
    options: [TITLE, ...CONTENT],
    done: ({ entryId }) => `Updated the entry ${entryId}.`,
    details: ["Empty WORDS or an empty URL clears the field."],
    example: "boardcast entries update dark-mode --labels 'new design'",
  }),
  apiCommand({
    name: "entries publish",
    summary: "Publish an entry, now or at a time",
    method: "POST",
    path: `${PATH}/publish`,
    positionals: ["ID"],
    options: [
      { name: "notify", description: "Mail every subscriber, if it was never public before." },
      { name: "no-notify", field: "notify", sends: false, description: "Mail nobody." },
      {
        name: "at",
        value: "TIME",
        description: "When it becomes public, like 2030-01-31T12:00:00Z. [default: now]",
      },
    ],
    done: describePublication,
    details: ["Say --notify or --no-notify: mails can't be taken back."],
    example: "boardcast entries publish dark-mode --notify --at 2030-01-31T12:00:00Z",
  }),
  apiCommand({
    name: "entries unpublish",
    summary: "Make an entry a draft again, and end its delivery",
    method: "POST",
    path: `${PATH}/unpublish`,
    positionals: ["ID"],
    done: ({ entryId, changed }) =>
      changed ? `The entry ${entryId} is a draft again.` : `The entry ${entryId} is a draft.`,
    example: "boardcast entries unpublish dark-mode",
  }),
  apiCommand({
    name: "entries delete",
    summary: "Delete an entry, and end its delivery",
    method: "DELETE",
    path: PATH,
    positionals: ["ID"],
    done: (_, { positionals: [entryId] }) => `Deleted the entry ${entryId}.`,
    example: "boardcast entries delete dark-mode",
  }),
  apiCommand({
    name: "entries test",
    summary: "Mail an entry to one address alone, marked as a test",
    method: "POST",
    path: `${PATH}/test`,
    positionals: ["ID", "EMAIL"],
    fields: { userEmail: ":EMAIL" },
    done: (_, { positionals: [entryId, userEmail] }) => `Mailed ${entryId} to ${userEmail}.`,
    details: ["The server that is called needs a mailer: see --server."],
    example: "boardcast entries test dark-mode ann@example.com --server https://example.com",
  }),
  apiCommand({
    name: "entries delivery",
    summary: "Show how far the mailing of an entry is, or pause, resume or cancel it",
    method: "GET",
    path: `${PATH}/delivery`,
    positionals: ["ID"],
    options: ["pause", "resume", "cancel"].map((name) => ({
      name,
      calls: ["POST", `${PATH}/delivery/${name}`],
      description: `${name[0].toUpperCase()}${name.slice(1)} it.`,
    })),
    example: "boardcast entries delivery dark-mode --pause",
  }),
];

function describePublication({ entryId, changed, state, publishedAt }: Answer): string {
  const what = state === "scheduled" ? `becomes public at ${publishedAt}` : "is public";
  return `The entry ${entryId} ${what}${changed ? "." : ", as before: nothing was changed."}`;
}
