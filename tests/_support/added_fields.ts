/**
 * Adds a field of each type to each resource, and follows its values through the API. Runs in a
 * process of its own, as all modules derive from the declarations when they are loaded. Prints the
 * faults that it finds as JSON.
 */
import { BOARD } from "../../model/board.ts";
import { choice, sentFlag, textOrNull, timeOrNull, words } from "../../model/declare.ts";
import { ENTRY } from "../../model/entries/entry.ts";
import { API_KEY } from "../../model/keys/api_key.ts";
import { POST } from "../../model/posts/post.ts";
import { VOTE } from "../../model/posts/vote.ts";
import { SUBSCRIPTION } from "../../model/subscriptions/subscription.ts";
import { parseText } from "../../model/values/text.ts";
import { parseInstant } from "../../model/values/time.ts";
import { WEBHOOK } from "../../model/webhooks/webhook.ts";

const ADDED = {
  note: textOrNull("A note.", "Hello", {
    rules: { maxLength: 100 },
    parse: (text: string) => parseText(text, { maxCodePoints: 100 }) || null,
  }),
  size: choice(["small", "large"], "A size.", { default: "small" }),
  isPinned: sentFlag("Whether it is pinned.", { default: false }),
  dueAt: timeOrNull("When it is due.", "2026-11-21T10:00:00.000Z", { parse: parseInstant }),
  topics: words("Its topics.", ["a"], {
    parse: (text) => text.split(" "),
    default: [] as readonly string[],
  }),
};
for (const { fields } of [BOARD, POST, VOTE, ENTRY, SUBSCRIPTION, WEBHOOK, API_KEY]) {
  Object.assign(fields, ADDED);
}
const FIRST = {
  note: "=One, two",
  size: "large",
  isPinned: true,
  dueAt: "2026-12-01T00:00:00.000Z",
  topics: ["b", "c"],
};
const NEXT = { note: "Two", size: "small", isPinned: false, dueAt: null, topics: ["d"] };
const CLEARED = { note: null, dueAt: null };
/** Values as texts, which forms, those of the studio too, and the command `call` send. */
const TEXTS = {
  note: "Three",
  size: "large",
  isPinned: "true",
  dueAt: "2026-12-02T00:00:00.000Z",
  topics: "e f",
};
const READ = { ...TEXTS, isPinned: true, topics: ["e", "f"] };

const { createHandler, openMemoryStorage } = await import("../../mod.ts");
const { createKey } = await import("../../services/keys/api_keys.ts");
const { createCommandLine } = await import("./cli.ts");
const { KINDS } = await import("../../model/kinds.ts");
const { shapeOf } = await import("../../adapters/_postgres/shape.ts");

type Values = Readonly<Record<string, unknown>>;
const faults: string[] = [];

function expect(what: string, found: Values | undefined, values: Values): void {
  for (const [name, value] of Object.entries(values)) {
    if (JSON.stringify(found?.[name]) === JSON.stringify(value)) continue;
    faults.push(`${what}: ${name} is ${JSON.stringify(found?.[name])}`);
  }
}

async function createService() {
  const storage = openMemoryStorage();
  const all = { name: "all", scopes: ["*" as const], expiresAt: null };
  const { secret } = await createKey(storage, all, new Date().toISOString());
  const handler = createHandler({ storage, rateLimit: false, publicUrl: "https://example.com" });
  async function send(method: string, path: string, body?: unknown, type = "application/json") {
    const isText = typeof body === "string";
    const response = await handler(
      new Request(`https://example.com${path.startsWith("/") ? path : `/api/v1/${path}`}`, {
        method,
        headers: { authorization: `Bearer ${secret}`, "content-type": type },
        body: body === undefined ? undefined : isText ? body : JSON.stringify(body),
      }),
    );
    const text = await response.text();
    if (!response.ok) faults.push(`${method} ${path}: ${response.status} ${text}`);
    return text;
  }
  async function get(path: string, accept: string): Promise<string> {
    const headers = { authorization: `Bearer ${secret}`, accept };
    return await (await handler(new Request(`https://example.com/api/v1/${path}`, { headers })))
      .text();
  }
  const call = async (method: string, path: string, body?: unknown): Promise<Values> => {
    const text = await send(method, path, body);
    return text === "" ? {} : JSON.parse(text);
  };
  return { storage, send, call, get };
}

const first = await createService();
const { call } = first;

/** Follows a record through create, read, list, change and clear. */
async function follow(
  name: string,
  { create, one, list }: {
    readonly create: readonly [method: string, path: string, body: Values];
    readonly one?: string;
    readonly list: string;
  },
): Promise<void> {
  const [method, path, body] = create;
  const isShown = name !== "vote" && name !== "subscriber";
  const created = await call(method, path, { ...body, ...FIRST });
  if (isShown) expect(`${name} created`, created, FIRST);
  const listed = async () => ((await call("GET", list)).data as readonly Values[])[0];
  expect(`${name} listed`, await listed(), FIRST);
  if (one === undefined) return;
  const read = () => call("GET", one);
  expect(`${name} read`, await read(), FIRST);
  expect(`${name} changed`, await call("PATCH", one, NEXT), NEXT);
  expect(`${name} read again`, await read(), NEXT);
  await call("PATCH", one, FIRST);
  expect(`${name} cleared`, await call("PATCH", one, CLEARED), CLEARED);
  await call("PATCH", one, FIRST);
}

await follow("board", {
  create: ["POST", "boards", { boardId: "ideas", name: "Ideas" }],
  one: "boards/ideas",
  list: "boards",
});
await follow("post", {
  create: ["POST", "boards/ideas/posts", { postId: "dark", title: "Dark mode" }],
  one: "boards/ideas/posts/dark",
  list: "boards/ideas/posts",
});
const voter = { userEmail: "ann@example.com", vote: true };
await follow("vote", {
  create: ["PUT", "boards/ideas/posts/dark/votes", voter],
  list: "boards/ideas/posts/dark/votes",
});
await call("PUT", "boards/ideas/posts/dark/votes", { ...voter, ...NEXT });
const [vote] = (await call("GET", "boards/ideas/posts/dark/votes")).data as readonly Values[];
expect("vote changed", vote, { ...NEXT, dueAt: null });
await call("PUT", "boards/ideas/posts/dark/votes", { ...voter, ...FIRST });
await follow("entry", {
  create: ["POST", "changelogs/entries", { entryId: "dark", title: "Dark", body: "Press D" }],
  one: "changelogs/entries/dark",
  list: "changelogs/entries",
});
await call("PUT", "changelogs/subscribe", { userEmail: "ann@example.com", subscribe: true });
const subscriber = "changelogs/subscribers/ann@example.com";
expect("subscriber changed", await call("PATCH", subscriber, FIRST), FIRST);
await call("PUT", "changelogs/subscribe", {
  userEmail: "ann@example.com",
  userName: "Ann",
  subscribe: true,
});
expect("subscriber kept", await call("GET", subscriber), { ...FIRST, userName: "Ann" });
const webhook = await call("POST", "webhooks", { url: "https://example.com/hook", ...FIRST });
expect("webhook created", webhook, FIRST);
const hook = `webhooks/${webhook.webhookId}`;
expect("webhook changed", await call("PATCH", hook, NEXT), NEXT);
expect("webhook read", await call("GET", hook), NEXT);
const firstOf = async (path: string) => ((await call("GET", path)).data as readonly Values[])[0];
expect("webhook listed", await firstOf("webhooks"), NEXT);
const key = await call("POST", "keys", { name: "Web app", ...FIRST });
expect("key created", key, FIRST);
expect("key listed", await firstOf("keys"), FIRST);
expect("key rotated", await call("POST", `keys/${key.keyId}/rotate`), FIRST);

// Exports, and imports of them into an empty service.
const exports = {
  posts: "boards/ideas/posts/export",
  votes: "boards/ideas/posts/dark/votes",
  subscribers: "changelogs/subscribers",
  entries: "changelogs/entries/export",
};
const files: Record<string, string> = {};
for (const [name, path] of Object.entries(exports)) {
  files[name] = await first.get(path, "application/x-ndjson");
  const lines = files[name].trim().split("\n").map((line) => JSON.parse(line) as Values);
  expect(`${name} as NDJSON`, lines[0], FIRST);
  if (name === "entries") continue;
  const csv = await first.get(path, "text/csv");
  for (const field of Object.keys(ADDED)) {
    if (!csv.split("\n")[0].split(",").includes(field)) faults.push(`${name} as CSV: no ${field}`);
  }
  if (!csv.includes("'=One, two")) faults.push(`${name} as CSV: no value of note`);
  if (!csv.includes("b c")) faults.push(`${name} as CSV: no value of topics`);
  files[`${name}.csv`] = csv;
}
for (const format of ["ndjson", "csv"]) {
  const second = await createService();
  await second.call("POST", "boards", { boardId: "ideas", name: "Ideas" });
  const type = format === "csv" ? "text/csv" : "application/x-ndjson";
  const suffix = format === "csv" ? ".csv" : "";
  await second.send("POST", "changelogs/subscribers/import", files[`subscribers${suffix}`], type);
  expect(`subscribers from ${format}`, await second.call("GET", subscriber), FIRST);
  await second.send("POST", "boards/ideas/posts/import", files[`posts${suffix}`], type);
  expect(`posts from ${format}`, await second.call("GET", "boards/ideas/posts/dark"), FIRST);
  if (format === "csv") continue;
  const votes = await second.call("GET", exports.votes);
  expect("votes from ndjson", (votes.data as readonly Values[])[0], FIRST);
  await second.send("POST", "changelogs/entries/import", files.entries, type);
  expect("entries from ndjson", await second.call("GET", "changelogs/entries/dark"), FIRST);
  await second.send("POST", "changelogs/entries/import", files.entries, type);
}

// The description, the command `call`, and the tables of a database.
interface Described {
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties?: Values }>>;
  };
}
const { components } = JSON.parse(await first.send("GET", "/openapi.json")) as Described;
for (const title of ["Board", "Post", "Vote", "Entry", "Subscriber", "Webhook", "Key"]) {
  for (const field of Object.keys(ADDED)) {
    if (components.schemas[title]?.properties?.[field] === undefined) {
      faults.push(`OpenAPI: ${title} has no ${field}`);
    }
  }
}
const { run } = createCommandLine({ storage: first.storage });
const operations =
  "createBoard updateBoard createPost updatePost putVote createEntry updateEntry " +
  "updateSubscriber createWebhook updateWebhook createKey";
const given = Object.entries(TEXTS).map(([name, text]) => `${name}=${text}`);
for (
  const [line, path, ...more] of [
    ["createBoard boardId=b", "boards/b", "name=B"],
    ["updateBoard boardId=ideas", "boards/ideas"],
    ["createPost boardId=ideas postId=p", "boards/ideas/posts/p", "title=Post"],
    ["updatePost boardId=ideas postId=dark", "boards/ideas/posts/dark"],
    ["createEntry entryId=e title=T body=B", "changelogs/entries/e"],
    ["updateEntry entryId=dark", "changelogs/entries/dark"],
    ["updateSubscriber userEmail=ann@example.com", subscriber],
    ["createWebhook url=https://example.com/next"],
    [`updateWebhook webhookId=${webhook.webhookId}`, hook],
    ["createKey name=Next"],
  ]
) {
  const { status, out, err } = await run(`call ${line}`, ...more, ...given);
  if (status !== 0) faults.push(`call ${line}: ${err}`);
  else expect(`call ${line}`, path === undefined ? JSON.parse(out) : await call("GET", path), READ);
}
for (
  const path of [
    "boards/ideas",
    "boards/ideas/posts/dark",
    "changelogs/entries/dark",
    subscriber,
    hook,
  ]
) {
  await call("PATCH", path, NEXT);
  const form = `${new URLSearchParams(TEXTS)}`;
  const changed = await first.send("PATCH", path, form, "application/x-www-form-urlencoded");
  expect(`form for ${path}`, JSON.parse(changed), READ);
  await call("PATCH", path, NEXT);
  expect(`texts for ${path}`, await call("PATCH", path, { ...TEXTS, isPinned: true }), READ);
}
for (const operation of operations.split(" ")) {
  const { out } = await run(`call ${operation} --help`);
  for (const field of Object.keys(ADDED)) {
    if (!out.includes(`\n  ${field}  `)) faults.push(`call ${operation} --help: no ${field}`);
  }
}
for (const kind of KINDS.filter(({ fields }) => "isPinned" in fields)) {
  const { columns } = shapeOf(kind);
  if (columns.is_pinned !== "boolean not null") faults.push(`${kind.name} has no column`);
}
console.log(JSON.stringify(faults));
