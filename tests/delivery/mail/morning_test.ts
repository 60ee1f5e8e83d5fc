import { assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Mail } from "../../../delivery/mail/mailer.ts";
import { createWorker, openMemoryStorage } from "../../../mod.ts";
import { createService, START } from "../../_support/service.ts";
import { until } from "../../_support/waiting.ts";

const PUBLIC_URL = "https://updates.example";
const DAY_MS = 86_400_000;

/** Starts a service whose worker begins on the morning after the team and its ideas were added. */
async function startMorning(roles: readonly string[]) {
  const storage = openMemoryStorage();
  const service = createService({ storage, studio: true, isMailed: false });
  for (const role of roles) {
    const member = { userEmail: `${role}@example.com`, userName: role, role, digest: true };
    await service.call("POST", "team", member);
  }
  await service.call("POST", "boards", { boardId: "ideas", name: "Ideas", visibility: "public" });
  service.advance(1_000);
  await service.call("POST", "boards/ideas/posts", { postId: "dark", title: "Dark <mode>" });
  await service.call("POST", "boards/ideas/posts", { postId: "spam", title: "Cheap watches" });
  await service.call("PATCH", "boards/ideas/posts/spam", { state: "held" });
  const mails: Mail[] = [];
  const start = (clock: () => number) =>
    createWorker({
      storage,
      clock,
      publicUrl: PUBLIC_URL,
      from: "Acme <news@acme.example>",
      mailer: {
        send(mail) {
          mails.push(mail);
          return Promise.resolve({ state: "sent" });
        },
        close: () => Promise.resolve(),
      },
    });
  return { mails, start };
}

describe("the mail of a morning", () => {
  it("leads to the studio, tells each role what it may read, and says where it ends", async () => {
    const { mails, start } = await startMorning(["admin", "writer"]);
    // Nobody was there at eight o'clock.
    const clock = () => Date.parse(START) + DAY_MS;
    const workers = [start(clock), start(clock)];
    await until(() => mails.length === 2);
    for (const worker of workers) await worker.close();
    const [admin, writer] = mails.toSorted((one, other) => one.to < other.to ? -1 : 1);
    assertEquals([admin.to, writer.to], ["admin@example.com", "writer@example.com"]);
    for (const { text, html } of mails) {
      assertStringIncludes(text, `Dark <mode>\n  ${PUBLIC_URL}/studio#/ideas/ideas/dark`);
      assertStringIncludes(html, "Dark &lt;mode&gt;");
      assertStringIncludes(text, `${PUBLIC_URL}/studio#/account`);
      assertEquals([text, html].some((part) => part.includes("watches")), false);
    }
    assertStringIncludes(admin.text, "Ideas that wait for approval: 1");
    assertEquals(writer.text.includes("approval"), false);
  });
});
