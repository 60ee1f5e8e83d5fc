import type { ListFormat } from "./list_format.ts";

/** Exports of changes.page, which have nobody in them but who has confirmed. */
export const CHANGES_PAGE: ListFormat = {
  name: "changes.page",
  title: "changes.page",
  columns: ["email", "created_at"],
  required: ["email", "created_at"],
  isExact: true,
  read: (cells) => ({
    userEmail: cells("email"),
    userName: "",
    subscribed: true,
    createdAt: cells("created_at"),
  }),
};
