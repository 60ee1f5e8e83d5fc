import { apiCommand } from "./api/api_command.ts";
import type { Command } from "./shell/command.ts";
import type { ApiOption } from "./api/fields.ts";
import { ID_DETAILS } from "./records.ts";
import { entryImportCommand } from "./rows/entry_import.ts";
import type { JsonObject } from "./api/request.ts";
import { saveImages } from "./images.ts";
import { option } from "./shell/options.ts";

const BODY_FILE: ApiOption = option(
  "body-file FILE",
  "The file that says it; - is standard input.",
  {
    field: "body",
    isFile: true,
  },
);

const NEW_ID: ApiOption = option("id ID", "Its new identifier, if it never was public.", {
  field: "entryId",
});

/** The commands for entries and their deliveries. */
export const entryCommands: readonly Command[] = [
  apiCommand("entries create ID", "createEntry", {
    summary: "Write an entry of the changelog, as a draft",
    options: [BODY_FILE],
    done: ({ entryId }) => `Created the draft ${entryId}.`,
    details:
      `${ID_DETAILS} It stands in the address of the page, and can change until the entry is public: see update --id.`,
    example: "boardcast entries create dark-mode --title 'Dark mode' --body-file new.md",
  }),
  apiCommand("entries get ID", "getEntry"),
  apiCommand("entries list", "listEntries", {
    details: "Newest first.",
    example: "boardcast entries list --state draft",
  }),
  apiCommand("entries update ID", "updateEntry", {
    summary: "Change the given fields of an entry; nobody is mailed",
    options: [NEW_ID, BODY_FILE],
    example: "boardcast entries update dark-mode --labels 'new design'",
  }),
  apiCommand("entries publish ID", "publishEntry", {
    options: [
      option("notify", "Mail every subscriber, if it was never public before."),
      option("no-notify", "Mail nobody.", { field: "notify", sends: false }),
    ],
    done: describePublication,
    details: "Say --notify or --no-notify: mails can't be taken back.",
    example: "boardcast entries publish dark-mode --notify --at 2030-01-31T12:00:00Z",
  }),
  apiCommand("entries deliveries", "listDeliveries", {
    details: "Newest first.",
    example: "boardcast entries deliveries --state held",
  }),
  apiCommand("entries failures ID", "listDeliveryFailures"),
  apiCommand("entries preview ID", "createPreviewLink", {
    summary: "Print a secret link of an entry that need not be published, valid for 7 days",
    secret: "url",
    done: ({ expiresAt }, { positionals: [id] }) => `Shows the entry ${id} until ${expiresAt}:`,
    noPath: "links need a public URL: call a server that has one, with --server URL",
    details: "Needs a running server with a public URL.",
    example: "boardcast entries preview dark-mode --server https://updates.example.com",
  }),
  apiCommand("entries unpublish ID", "unpublishEntry", {
    summary: "Make an entry a draft again, and end its delivery",
    done: ({ entryId, changed }) =>
      changed ? `The entry ${entryId} is a draft again.` : `The entry ${entryId} is a draft.`,
  }),
  apiCommand("entries delete ID", "deleteEntry", {
    summary: "Delete an entry, and end its delivery",
  }),
  apiCommand("entries export", "exportEntries", {
    summary: "Print all entries as NDJSON, drafts included",
    lines: ["entry", "entries"],
    options: [option("images DIR", "Write all images into this folder, too.", { isOwn: true })],
    async after({ args, terminal }, send) {
      const folder = args.text("images");
      if (folder === undefined) return;
      const count = await saveImages(send, folder);
      terminal.err(`Wrote ${count} ${count === 1 ? "image" : "images"} to ${folder}.\n`);
    },
    details: "The output can be imported again, here or elsewhere.",
    example: "boardcast entries export --images pictures > entries.ndjson",
  }),
  entryImportCommand,
  apiCommand("entries test ID EMAIL", "testEntry", {
    summary: "Mail an entry to one address alone, marked as a test",
    done: (_, { positionals: [entryId, userEmail] }) => `Mailed ${entryId} to ${userEmail}.`,
    details: "The server that is called needs a mailer: see --server.",
    example: "boardcast entries test dark-mode ann@example.com --server https://example.com",
  }),
  apiCommand("entries delivery ID", "getDelivery", {
    summary: "Show how far the mailing of an entry is, or pause, resume or cancel it",
    options: ["pause", "resume", "cancel"].map((name) => ({
      name,
      operation: `${name}Delivery`,
      description: `${name[0].toUpperCase()}${name.slice(1)} it.`,
    })),
    example: "boardcast entries delivery dark-mode --pause",
  }),
];

function describePublication({ entryId, changed, state, publishedAt }: JsonObject): string {
  const what = state === "scheduled" ? `becomes public at ${publishedAt}` : "is public";
  return `The entry ${entryId} ${what}${changed ? "." : ", as before: nothing was changed."}`;
}
