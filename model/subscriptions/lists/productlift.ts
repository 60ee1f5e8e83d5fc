import type { ListFormat } from "./list_format.ts";

/** Exports of the subscribers of a changelog in ProductLift: all of them are subscribed. */
export const PRODUCTLIFT: ListFormat = {
  name: "productlift",
  title: "ProductLift",
  columns: ["Name", "Email", "Subscribed At"],
  required: ["Name", "Email", "Subscribed At"],
  isExact: true,
  read: (cells) => ({
    userEmail: cells("Email"),
    userName: cells("Name"),
    subscribed: true,
    createdAt: cells("Subscribed At"),
  }),
};
