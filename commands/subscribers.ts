import { EXPORT_PARAMETERS } from "../model/subscriptions/list_options.ts";
import { CLIENT_OPTIONS, withApi } from "./api/client.ts";
import { printContent } from "./api/responses.ts";
import { flagNames, flagOptions, readFlags } from "./rows/parameters.ts";
import { importCommand } from "./rows/subscriber_import.ts";
import type { Command } from "./shell/command.ts";
import { option, optionalChoice } from "./shell/options.ts";

const TYPES = { csv: "text/csv", ndjson: "application/x-ndjson" } as const;

const exportCommand: Command = {
  name: "subscribers export",
  summary: "Print all subscribers as CSV or NDJSON",
  options: [
    option("format csv | ndjson", "The format of the rows.", { default: "csv" }),
    ...flagOptions(EXPORT_PARAMETERS),
    ...CLIENT_OPTIONS,
  ],
  details:
    "Those who opted out are included, and the output can be imported again. In CSV, text that a " +
    "spreadsheet would run as a formula gets a leading apostrophe, which the import removes.\n\n" +
    "Through a server, the key in BOARDCAST_KEY needs subscriptions:read.",
  example: "boardcast subscribers export > people.csv",
  async run(invocation) {
    const { args, terminal } = invocation;
    const format = optionalChoice(args, "format", ["csv", "ndjson"]) ?? "csv";
    const flags = flagNames(EXPORT_PARAMETERS);
    const access = { isReading: true, mustExist: true, flags };
    const lines = await withApi(invocation, access, async (send) => {
      const response = await send({
        method: "GET",
        path: "/api/v1/changelogs/subscribers",
        query: readFlags(args, flags),
        headers: { Accept: TYPES[format] },
      });
      return await printContent(terminal, response);
    });
    // The first line of CSV is its header.
    const count = format === "csv" ? Math.max(0, lines - 1) : lines;
    terminal.err(`Exported ${count} ${count === 1 ? "subscriber" : "subscribers"}.\n`);
    return 0;
  },
};

export const subscriberCommands: readonly Command[] = [exportCommand, importCommand];
