// A host that embeds Boardcast, in a process of its own. It is run by embed_test.ts with no more
// permissions than it says, and has to end by itself unless it serves.

const before = new Set(Reflect.ownKeys(globalThis));
const [kind, directory = ""] = Deno.args;
const { serve } = Deno;
// What a handler might be tempted to look at. Deno's own node: modules, on which storage in a
// folder stands, do look at one.
if (kind !== "file") {
  for (const name of ["Deno", "process", "navigator", "localStorage"]) {
    Reflect.deleteProperty(globalThis, name);
  }
}

const { createHandler, openMemoryStorage } = await import("../mod.ts");
const storage = kind === "file"
  ? await (await import("../adapters/file.ts")).openFileStorage(directory)
  : openMemoryStorage();
const handler = createHandler({ storage, operatorKey: "a-key-of-24-characters-or-more" });
const headers = { Authorization: "Bearer a-key-of-24-characters-or-more" };
const statuses: number[] = [];
for (
  const [method, path, body] of [
    ["POST", "/api/v1/boards", { boardId: "ideas", name: "Ideas" }],
    ["GET", "/api/v1/boards/ideas", undefined],
    ["PUT", "/api/v1/changelogs/subscribe", { userEmail: "ann@example.com", subscribe: "true" }],
    ["POST", "/api/v1/keys", { name: "Web app" }],
    ["GET", "/readyz", undefined],
    ["GET", "/openapi.json", undefined],
    ["GET", "/docs", undefined],
  ] as const
) {
  const init = { method, headers, body: body && new URLSearchParams(body) };
  const response = await handler(new Request(`http://localhost${path}`, init));
  await response.text();
  statuses.push(response.status);
}
const added = Reflect.ownKeys(globalThis).filter((key) => !before.has(key)).map(String);
console.log(JSON.stringify({ statuses, added }));

if (kind === "server") {
  const onListen = ({ port }: { readonly port: number }) => console.log(`port ${port}`);
  serve({ hostname: "127.0.0.1", port: 0, onListen }, handler);
} else {
  await storage.close();
}
