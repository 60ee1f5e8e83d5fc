import { CLIENT_OPTIONS, withApi } from "./api/client.ts";
import { printContent } from "./api/responses.ts";
import { saveImages } from "./images.ts";
import { entryImportCommand } from "./rows/entry_import.ts";
import type { Command } from "./shell/command.ts";
import { option } from "./shell/options.ts";

const exportCommand: Command = {
  name: "entries export",
  summary: "Print all entries as NDJSON, drafts included",
  options: [
    option("images DIR", "Write all images into this folder, too."),
    ...CLIENT_OPTIONS,
  ],
  details: "The output can be imported again, here or elsewhere.\n\n" +
    "Through a server, the key in BOARDCAST_KEY needs entries:read.",
  example: "boardcast entries export --images pictures > entries.ndjson",
  async run(invocation) {
    const { args, terminal } = invocation;
    const folder = args.text("images");
    await withApi(invocation, { isReading: true, mustExist: true }, async (send) => {
      const call = { method: "GET", path: "/api/v1/changelogs/entries/export" };
      const count = await printContent(terminal, await send(call));
      terminal.err(`Exported ${count} ${count === 1 ? "entry" : "entries"}.\n`);
      if (folder === undefined) return;
      const images = await saveImages(send, folder);
      terminal.err(`Wrote ${images} ${images === 1 ? "image" : "images"} to ${folder}.\n`);
    });
    return 0;
  },
};

export const entryCommands: readonly Command[] = [exportCommand, entryImportCommand];
