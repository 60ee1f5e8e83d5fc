import { assert, assertEquals } from "@std/assert";
import { afterEach, describe, it } from "@std/testing/bdd";
import express from "express";
import { Hono } from "hono";
import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { handOver as handOverExpress } from "../../../../docs/examples/hand_over/express.ts";
import { handOver as handOverHono } from "../../../../docs/examples/hand_over/hono.ts";
import { GET } from "../../../../docs/examples/hand_over/next_route.ts";
import { OWN, PUBLIC_URL, startForms } from "../../../_support/board_forms.ts";
import { signIn } from "../../../_support/next_auth.ts";

const USER = { email: "ann@example.com", name: "Ann" };
const PATH = "/feedback";

/** An app with a signed-in user. */
interface App {
  /** Returns the app's response when its user opens the page of ideas. */
  open(): Promise<Response>;
  close(): Promise<void>;
}

async function startExpress(): Promise<App> {
  const app = express();
  app.set("env", "test"); // Otherwise it prints errors.
  app.use((_req: unknown, res: { locals: Record<string, unknown> }, next: () => void) => {
    res.locals.user = USER;
    next();
  });
  app.get(PATH, handOverExpress);
  const server: Server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    open: () => fetch(`http://127.0.0.1:${port}${PATH}`, { redirect: "manual" }),
    async close() {
      server.close();
      await once(server, "close");
    },
  };
}

function startHono(): App {
  const app = new Hono<{ Variables: { user: typeof USER } }>();
  app.use(async (c, next) => {
    c.set("user", USER);
    await next();
  });
  app.get(PATH, handOverHono);
  app.onError((_error, c) => c.body(null, 500));
  return { open: async () => await app.request(PATH), close: () => Promise.resolve() };
}

function startNext(): App {
  signIn({ user: USER });
  return {
    async open() {
      try {
        return await GET(new Request(`https://app.example${PATH}`));
      } catch {
        return new Response(null, { status: 500 });
      }
    },
    close: () => Promise.resolve(),
  };
}

const APPS: Readonly<Record<string, () => App | Promise<App>>> = {
  Express: startExpress,
  Hono: startHono,
  "Next.js": startNext,
};

/** Serves a public board. Apps get its address and a key in variables. */
async function withBoard(
  use: (service: Awaited<ReturnType<typeof startForms>>) => Promise<void>,
): Promise<void> {
  await using service = await startForms();
  await service.call("POST", "boards", { boardId: "ideas", name: "I", visibility: "public" });
  await service.call("POST", "boards/ideas/posts", { postId: "dark", title: "Dark mode" });
  const options = { hostname: "127.0.0.1", port: 0, onListen() {} };
  await using server = Deno.serve(options, service.handler);
  Deno.env.set("FEEDBACK_URL", `http://127.0.0.1:${server.addr.port}`);
  Deno.env.set("FEEDBACK_KEY", await service.createKey(["posts:write"]));
  await use(service);
}

describe("the hand-over of docs/people.md", () => {
  afterEach(() => {
    signIn(null);
    for (const name of ["FEEDBACK_URL", "FEEDBACK_KEY"]) Deno.env.delete(name);
  });

  for (const [name, start] of Object.entries(APPS)) {
    it(`opens the board as the signed-in user of an app with ${name}`, () =>
      withBoard(async (service) => {
        const app = await start();
        const answer = await app.open();
        await answer.body?.cancel();
        assertEquals(answer.status, 303);
        const location = answer.headers.get("location")!;
        assert(location.startsWith(`${PUBLIC_URL}/open/`), location);
        const opened = await service.read(location.slice(PUBLIC_URL.length));
        assertEquals(opened.headers.get("location"), `${PUBLIC_URL}/boards/ideas`);
        const headers = { cookie: opened.headers.get("set-cookie")!.split(";")[0], ...OWN };
        assertEquals((await service.submit("/boards/ideas/dark", { headers })).status, 303);
        const { data: [vote] } = await service.call<{ data: Record<string, unknown>[] }>(
          "GET",
          "boards/ideas/posts/dark/votes",
        );
        assertEquals([vote.userEmail, vote.userName], [USER.email, USER.name]);
        await app.close();
      }));

    it(`leads the user of an app with ${name} nowhere when the key is refused`, () =>
      withBoard(async () => {
        Deno.env.set("FEEDBACK_KEY", "bc_of_nobody");
        const app = await start();
        const answer = await app.open();
        await answer.body?.cancel();
        assertEquals([answer.status, answer.headers.get("location")], [500, null]);
        await app.close();
      }));
  }

  it("asks people to sign in who are not signed in to an app with Next.js", async () => {
    const { status, headers } = await GET(new Request(`https://app.example${PATH}`));
    assertEquals([status, headers.get("location")], [303, "https://app.example/api/auth/signin"]);
  });
});
