import { unescapeFormula } from "../../values/csv.ts";
import { Refusal } from "../../values/refusal.ts";
import type { ListFormat } from "./list_format.ts";
import { parseSpreadsheetBoolean } from "./spreadsheet_boolean.ts";

/** What `subscribers export` prints, and any sheet with an address column. */
export const BOARDCAST: ListFormat = {
  name: "boardcast",
  title: "Boardcast",
  columns: ["userEmail", "subscribed"],
  required: ["userEmail", "subscribed"],
  others: ["userName", "labels", "pace"],
  options: ["columns", "state", "true", "false"],
  read(cells, { state, ...words }) {
    const subscribed = cells("subscribed");
    // An export always says at which pace; a sheet without that column says nothing of labels either.
    const pace = cells("pace");
    return {
      userEmail: unescapeFormula(cells("userEmail")),
      userName: unescapeFormula(cells("userName")),
      subscribed: state !== undefined
        ? state === "subscribed"
        : subscribed === ""
        ? new Refusal("required", "is required")
        : parseSpreadsheetBoolean(subscribed, words),
      ...pace !== "" && { pace },
      ...(pace !== "" || cells("labels") !== "") && { labels: cells("labels") },
    };
  },
};
