import { Refusal } from "../../values/refusal.ts";
import { quote } from "../../values/text.ts";
import type { ListFormat, ListOptions } from "./list_format.ts";

const UNKNOWN = new Refusal(
  "required",
  'can\'t be known: in listmonk, who is "enabled" may have left the list or never confirmed; export ' +
    "those of one subscription status, and name it by listStatus (--list-status confirmed)",
);
const UNCONFIRMED = new Refusal("invalid_value", "can't be true: they have not confirmed");

/**
 * Exports of listmonk. The column `status` is of the person, not of the list, which only the request of
 * the export named.
 */
export const LISTMONK: ListFormat = {
  name: "listmonk",
  title: "listmonk",
  columns: ["uuid", "email", "attributes", "status"],
  required: ["email", "status"],
  others: ["name", "created_at", "updated_at"],
  options: ["listStatus"],
  read(cells, options) {
    const subscribed = isSubscribed(cells("status"), options);
    return {
      userEmail: cells("email"),
      userName: cells("name"),
      subscribed,
      createdAt: cells("created_at"),
      // An edit moves it too: it tells nothing of who is subscribed.
      ...(subscribed === false && { since: cells("updated_at") }),
    };
  },
};

function isSubscribed(status: string, { listStatus }: ListOptions): boolean | Refusal {
  switch (status.toLowerCase()) {
    case "disabled":
    case "blocklisted":
      return false;
    case "enabled":
      if (listStatus === undefined) return UNKNOWN;
      return listStatus === "unconfirmed" ? UNCONFIRMED : listStatus === "confirmed";
    default:
      return new Refusal(
        "invalid_value",
        `can't be known: the status ${quote(status)} is not enabled, disabled or blocklisted`,
      );
  }
}
