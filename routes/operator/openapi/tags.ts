/** The groups of operations, in the order in which they are shown. */
export const TAGS = {
  "Boards": "Places for feedback, each with its own identifier.",
  "Changelog subscriptions": "Who receives changelog updates, by e-mail address.",
  "Changelog entries": "What is new, as drafts and in public.",
  "Images": "Pictures in entries.",
  "Public changelog":
    "What everybody can read, where the server has a public URL. No key is needed.",
  "Webhooks":
    "Where this server sends messages about changes, as Standard Webhooks describes them.",
  "API keys":
    "Keys for programs that call this API. The secret of a key is shown once and not stored.",
  "Operation": "What an operator sees.",
  "Health": "For process managers and load balancers. No key is needed.",
  "Reference": "Descriptions of this API. No key is needed.",
} as const satisfies Record<string, string>;

/** The name of a group of operations. */
export type TagName = keyof typeof TAGS;
