import type { Mail } from "../../../delivery/mail/mailer.ts";
import { createWorker, type Language, openMemoryStorage } from "../../../mod.ts";
import { createService } from "../../_support/service.ts";
import { until } from "../../_support/waiting.ts";

/** An address that votes. */
export const ANN = "ann@example.com";
/** The path of the board. */
export const BOARD = "boards/wishes";

/** Serves a public board with an idea. */
export async function startBoard(language: Language) {
  const storage = openMemoryStorage();
  const mails: Mail[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => service.handler(request),
  );
  const publicUrl = `http://127.0.0.1:${server.addr.port}`;
  const worker = createWorker({
    ...{ storage, publicUrl, language, from: "Acme <news@acme.example>" },
    mailer: {
      send: (mail) => Promise.resolve(mails.push(mail)).then(() => ({ state: "sent" })),
      close: () => Promise.resolve(),
    },
  });
  const service = createService({ storage, publicUrl, language, worker, clock: Date.now });
  await service.call("POST", "boards", {
    ...{ boardId: "wishes", name: "Wishes", visibility: "public", moderation: "first" },
  });
  await service.call("POST", `${BOARD}/posts`, { postId: "dark-mode", title: "Dark mode" });
  return {
    url: `${publicUrl}/${BOARD}`,
    publicUrl,
    async takeLink(): Promise<string> {
      await until(() => mails.length > 0);
      return /http:\S+\/confirm\/\S+/.exec(mails.pop()!.text)![0];
    },
    async add(postId: string, title: string): Promise<void> {
      await service.call("POST", `${BOARD}/posts`, { postId, title, body: "It would help us." });
    },
    /** Returns the link by which an app hands a person over. */
    async handOver(userEmail: string, path: string): Promise<string> {
      const { url } = await service.call<{ url: string }>("POST", "people/link", {
        ...{ userEmail, path },
      });
      return url;
    },
    async votes(): Promise<unknown> {
      return (await service.call("GET", `${BOARD}/posts/dark-mode`)).votes;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([server.shutdown(), worker.close()]);
    },
  };
}
