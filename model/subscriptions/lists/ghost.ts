import { quote } from "../../values/text.ts";
import { Refusal } from "../../values/refusal.ts";
import type { ListFormat } from "./list_format.ts";
import { parseSpreadsheetBoolean } from "./spreadsheet_boolean.ts";

const DELETED = new Refusal("invalid_value", "can't be known: deleted_at says that they are gone");

/** Exports of Ghost's members; what follows `subscribed_to_emails` differs by version. */
export const GHOST: ListFormat = {
  name: "ghost",
  title: "Ghost",
  columns: ["email", "subscribed_to_emails"],
  required: ["email", "subscribed_to_emails"],
  others: ["name", "created_at", "deleted_at"],
  read: (cells) => ({
    userEmail: cells("email"),
    userName: cells("name"),
    subscribed: cells("deleted_at").trim() === ""
      ? isSubscribed(cells("subscribed_to_emails"))
      : DELETED,
    createdAt: cells("created_at"),
  }),
};

function isSubscribed(text: string): boolean | Refusal {
  const subscribed = parseSpreadsheetBoolean(text);
  return subscribed instanceof Refusal
    ? new Refusal(
      "invalid_value",
      `can't be known: subscribed_to_emails is ${quote(text)}, not true or false`,
    )
    : subscribed;
}
