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
  others: ["userName"],
  options: ["columns", "state", "true", "false"],
  read(cells, { state, ...words }) {
    const subscribed = cells("subscribed");
    return {
      userEmail: unescapeFormula(cells("userEmail")),
      userName: unescapeFormula(cells("userName")),
      subscribed: state !== undefined
        ? state === "subscribed"
        : subscribed === ""
        ? new Refusal("required", "is required")
        : parseSpreadsheetBoolean(subscribed, words),
    };
  },
};
