import { CLIENT_OPTIONS, withApi } from "./_client.ts";
import type { Command } from "./_command.ts";
import { readBytes } from "./_listing.ts";
import { type Option, option, optionalChoice } from "./_options.ts";
import { withQuery } from "./_request.ts";

const LF = 0x0a;

/** The flag that chooses subscribers by their state. */
export const SUBSCRIBED_OPTION: Option = option(
  "subscribed true | false",
  "Only subscribers in this state. [default: both]",
);

/** Prints all subscribers. */
export const exportCommand: Command = {
  name: "subscribers export",
  summary: "Print all subscribers as CSV or NDJSON",
  options: [
    option("format csv | ndjson", "The format.", { default: "csv" }),
    SUBSCRIBED_OPTION,
    ...CLIENT_OPTIONS,
  ],
  details:
    "Those who opted out are included, and the output can be imported again. In CSV, text that a " +
    "spreadsheet would run as a formula gets a leading apostrophe, which the import removes.",
  example: "boardcast subscribers export > people.csv",
  async run(invocation) {
    const { args, terminal } = invocation;
    const isCsv = optionalChoice(args, "format", ["csv", "ndjson"]) === "csv";
    const subscribed = optionalChoice(args, "subscribed", ["true", "false"]);
    const path = withQuery("/changelogs/subscribers", subscribed ? { subscribed } : {});
    const headers = { Accept: isCsv ? "text/csv" : "application/x-ndjson" };
    // Each record is one line, as no text of a subscriber has a line break. CSV has a header.
    let count = isCsv ? -1 : 0;
    await withApi(invocation, { isReading: true, mustExist: true }, async (send) => {
      for await (const bytes of readBytes(await send({ method: "GET", path, headers }))) {
        terminal.out(bytes);
        for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) count++;
      }
    });
    terminal.err(`Exported ${count} subscriber${count === 1 ? "" : "s"}.\n`);
    return 0;
  },
};
