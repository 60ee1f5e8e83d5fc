import { assertEquals } from "@std/assert";
import { it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage, StorageError } from "../../../mod.ts";
import { PROMISED, PROMISED_PUBLIC } from "../../_support/promised.ts";
import { forEachRow } from "../../_support/rows.ts";
import { createService } from "../../_support/service.ts";
import { unhandledDuring } from "../../_support/waiting.ts";

const METHODS = ["get", "list", "transact", "ping", "count"] as const;
const SUBSCRIBE = { userEmail: "ann@example.com", subscribe: true };
const VOTE = { userEmail: "ann@example.com", vote: true };

/**
 * Opens storage that fails for ever after a number of further calls. `calls` returns the number of
 * calls so far.
 */
function openFailing() {
  const memory = openMemoryStorage();
  const state = { left: Infinity, calls: 0 };
  const call = (method: typeof METHODS[number]) => (...args: readonly unknown[]) =>
    state.calls++ < state.left
      ? (memory[method] as (...args: readonly unknown[]) => Promise<unknown>)(...args)
      : Promise.reject(new StorageError("unavailable", "gone"));
  const calls = Object.fromEntries(METHODS.map((method) => [method, call(method)]));
  return { storage: { ...memory, ...calls } as Storage, state };
}

/** Creates a service with one record of each kind that paths name. */
async function createFilled() {
  const { storage, state } = openFailing();
  const service = createService({ storage, publicUrl: "https://example.com", studio: true });
  const { call } = service;
  await call("POST", "boards", { boardId: "a", name: "A" });
  await call("PUT", "changelogs/subscribe", SUBSCRIBE);
  await call("POST", "boards/a/posts", {
    postId: "a",
    title: "A wish",
    userEmail: "b@example.com",
  });
  await call("POST", "changelogs/entries", { entryId: "a", title: "A", body: "", labels: "new" });
  const { webhookId } = await call("POST", "webhooks", { url: "https://hooks.example.com/" });
  await call("POST", "changelogs/entries/a/publish", { notify: true });
  const ids = {
    boardId: "a",
    postId: "a",
    entryId: "a",
    webhookId,
    userEmail: SUBSCRIBE.userEmail,
  };
  return { ...service, state, ids: ids as Readonly<Record<string, string>> };
}

it("a request is 503, and ends no process, whichever call of storage fails for it", () => {
  const operations = [...PROMISED, ...PROMISED_PUBLIC, ["GET", "/changelog/a", null] as const];
  return forEachRow(operations, async ([method, template]) => {
    const body = template.endsWith("/votes") ? VOTE : SUBSCRIBE;
    const json = method === "PUT" ? body : undefined;
    const filled = (ids: Readonly<Record<string, string>>) =>
      template.replace(/{(\w+)}/g, (_, name) => ids[name] ?? "none");
    const sound = await createFilled();
    const usual = await sound.send(method, filled(sound.ids), { json });
    const usualText = await usual.text().catch(() => "");
    // A page that says what is wrong also does without what its frame shows of storage.
    const isErrorPage = usual.status >= 400 && usualText.startsWith("<!doctype html>");
    for (let left = 0, isOver = false; !isOver; left++) {
      const { send, state, ids } = await createFilled();
      Object.assign(state, { left, calls: 0 });
      let status = 0;
      const unhandled = await unhandledDuring(async () => {
        const response = await send(method, filled(ids), { json });
        status = response.status;
        // A failure in a stream breaks the response off.
        await response.text().catch(() => status = 503);
      });
      isOver = state.calls <= left;
      // The posts of a deleted board are removed after the answer.
      const isAnswered = status === 503 || (isErrorPage && status === usual.status) ||
        (template === "/api/v1/boards/{boardId}" && status === 204);
      assertEquals([unhandled, isOver || isAnswered], [[], true], `${left}: ${status}`);
    }
  });
});
