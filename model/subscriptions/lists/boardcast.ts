import { parseBoolean } from "../../values/text.ts";
import { unescapeFormula } from "../../values/csv.ts";
import { Refusal } from "../../values/refusal.ts";
import type { ListFormat } from "./list_format.ts";

/** What `subscribers export` prints, and what people write by hand. */
export const BOARDCAST: ListFormat = {
  name: "boardcast",
  title: "Boardcast",
  columns: ["userEmail", "subscribed"],
  required: ["userEmail", "subscribed"],
  others: ["userName"],
  read(cells) {
    const subscribed = cells("subscribed");
    return {
      userEmail: unescapeFormula(cells("userEmail")),
      userName: unescapeFormula(cells("userName")),
      subscribed: subscribed === ""
        ? new Refusal("required", "is required")
        : parseBoolean(subscribed),
    };
  },
};
