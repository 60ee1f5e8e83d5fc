import { Refusal } from "../../values/refusal.ts";
import { quote } from "../../values/text.ts";
import { joinNames, type ListFormat } from "./list_format.ts";

/** Exports of Keila, which have no times. `External ID` came later. */
export const KEILA: ListFormat = {
  name: "keila",
  title: "Keila",
  columns: ["Email", "First name", "Last name", "Data", "Status"],
  required: ["Email", "Status"],
  others: ["First name", "Last name"],
  read: (cells) => ({
    userEmail: cells("Email"),
    userName: joinNames(cells("First name"), cells("Last name")),
    subscribed: isSubscribed(cells("Status")),
  }),
};

function isSubscribed(status: string): boolean | Refusal {
  switch (status.toLowerCase()) {
    case "active":
      return true;
    case "unsubscribed":
    case "unreachable":
      return false;
    default:
      return new Refusal(
        "invalid_value",
        `can't be known: the status ${quote(status)} is not active, unsubscribed or unreachable`,
      );
  }
}
