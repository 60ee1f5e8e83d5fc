import { deliveryPath } from "../_support/deliveries.ts";
import { assertEquals, assertMatch } from "@std/assert";
import { it } from "@std/testing/bdd";
import { fileURLToPath } from "node:url";
import { neededEnvironment } from "../_support/environment.ts";
import { withKvFile } from "../_support/kv.ts";
import { startProgram } from "../_support/process.ts";
import { OPERATOR_KEY } from "../_support/service.ts";
import { until } from "../_support/waiting.ts";

const SCRIPT = fileURLToPath(new URL("../_support/deno_deploy.ts", import.meta.url));
const FLAGS = ["run", "--allow-all", "--unstable-kv", "--unstable-cron"];

it("the entrypoint for Deno Deploy serves, mails what is published, and ends when it is told", () =>
  withKvFile(async (path) => {
    const mailed: string[] = [];
    const onRequest = async (request: Request) => {
      mailed.push((await request.json()).to);
      return Response.json({ id: `${mailed.length}` });
    };
    await using provider = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, onRequest);
    await using app = startProgram(Deno.execPath(), {
      args: [...FLAGS, SCRIPT, path, `http://127.0.0.1:${provider.addr.port}`],
      env: {
        ...neededEnvironment(),
        NO_COLOR: "1",
        DENO_SERVE_ADDRESS: "tcp:127.0.0.1:0",
        BOARDCAST_API_KEY: OPERATOR_KEY,
        BOARDCAST_PUBLIC_URL: "https://updates.example",
        BOARDCAST_MAIL_FROM: "Acme <news@acme.example>",
        RESEND_API_KEY: "re_123",
      },
    });
    const [, url] = await app.waitFor("stderr", /(http:\/\/127\.0\.0\.1:\d+)\//);
    assertMatch(app.stdout(), /^cron deliver mail and webhooks: \* \* \* \* \*\n/);
    const call = async (method: string, path: string, form?: Record<string, string>) => {
      const response = await fetch(`${url}/api/v1/${path.replace(/^\/api\/v1\//, "")}`, {
        method,
        headers: { authorization: `Bearer ${OPERATOR_KEY}` },
        body: form && new URLSearchParams(form),
      });
      const { state } = await response.json();
      assertEquals(response.ok, true, path);
      return state;
    };
    for (const userEmail of ["ann@x.org", "bob@x.org"]) {
      await call("PUT", "changelogs/subscribe", { userEmail, subscribe: "true" });
    }
    const entry = { entryId: "dark-mode", title: "Dark mode", body: "Press D." };
    await call("POST", "changelogs/entries", entry);
    await call("POST", "changelogs/entries/dark-mode/publish", { notify: "true" });
    await until(async () => await call("GET", deliveryPath("dark-mode")) === "done");
    assertEquals(mailed.toSorted(), ["ann@x.org", "bob@x.org"]);
    app.signal("SIGINT");
    assertEquals(await app.status, 0);
  }));
