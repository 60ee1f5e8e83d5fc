// A process that embeds Boardcast. embed_test.ts runs it with only the permissions that it names,
// and expects it to end by itself.

const before = new Set(Reflect.ownKeys(globalThis));
const [folder] = Deno.args;
// A handler must not read these globals. File storage uses node: modules of Deno, which do.
for (const name of folder ? [] : ["Deno", "process", "navigator", "localStorage"]) {
  Reflect.deleteProperty(globalThis, name);
}

const { createHandler, openMemoryStorage } = await import("../../mod.ts");
const storage = folder
  ? await (await import("../../adapters/file.ts")).openFileStorage(folder)
  : openMemoryStorage();
const operatorKey = "a-key-of-24-characters-or-more";
const handler = createHandler({ storage, operatorKey });
const statuses: number[] = [];
for (
  const [method, path, body] of [
    ["POST", "/api/v1/boards", { boardId: "ideas", name: "Ideas" }],
    ["GET", "/api/v1/boards/ideas", undefined],
    ["PUT", "/api/v1/changelogs/subscribe", { userEmail: "ann@example.com", subscribe: "true" }],
    ["GET", "/readyz", undefined],
    ["GET", "/docs", undefined],
  ] as const
) {
  const headers = { Authorization: `Bearer ${operatorKey}` };
  const init = { method, headers, body: body && new URLSearchParams(body) };
  const response = await handler(new Request(`http://localhost${path}`, init));
  await response.text();
  statuses.push(response.status);
}
const added = Reflect.ownKeys(globalThis).filter((key) => !before.has(key)).map(String);
console.log(JSON.stringify({ statuses, added }));
await storage.close();
